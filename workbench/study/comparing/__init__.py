"""A reader's own idea beside what is known: how it is called, what code it is, one table of errors."""
