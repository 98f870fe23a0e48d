"""A notebook that runs: its session, its parameters, its explorers, and the server they live in."""
