"""What the commands of TeX that our texts use stand for in MathML."""

LETTERS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "varepsilon": "ε", "epsilon": "ϵ", "zeta": "ζ",
    "eta": "η", "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π",
    "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "ϕ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
    "ell": "ℓ", "infty": "∞", "bot": "⊥", "top": "⊤", "emptyset": "∅", "partial": "∂",
}  # fmt: skip
CAPITALS = {
    "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ",
    "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
OPERATORS = {
    "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "approx": "≈", "sim": "∼",
    "propto": "∝", "preceq": "⪯", "succeq": "⪰", "ll": "≪", "gg": "≫", "lesssim": "≲", "gtrsim": "≳",
    "equiv": "≡", "in": "∈", "notin": "∉", "subset": "⊂", "subseteq": "⊆", "cap": "∩", "cup": "∪",
    "setminus": "∖", "ominus": "⊖", "oplus": "⊕", "otimes": "⊗", "times": "×", "cdot": "⋅", "pm": "±",
    "mp": "∓", "to": "→",
    "mapsto": "↦", "leftarrow": "←", "rightarrow": "→", "Rightarrow": "⇒",
    "dots": "…", "ldots": "…", "cdots": "⋯", "mid": "∣", "circ": "∘",
    "int": "∫", "forall": "∀", "exists": "∃",
    "#": "#", "%": "%", "&": "&", "_": "_", "star": "⋆", "prime": "′",
}  # fmt: skip
FENCES = {
    "langle": "⟨", "rangle": "⟩", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "lbrace": "{",
    "rbrace": "}", "{": "{", "}": "}", "lvert": "|", "rvert": "|", "vert": "|", "Vert": "‖", "lVert": "‖",
    "rVert": "‖", "|": "‖",
}  # fmt: skip
OPENING = frozenset("([{⟨⌊⌈")
FUNCTIONS = ("ln", "log", "exp", "det", "dim", "tanh", "sinh", "cosh", "tan", "sin", "cos", "arg", "Pr", "tr")
LIMITS = {"sum": "∑", "prod": "∏", "max": "max", "min": "min", "inf": "inf", "sup": "sup", "lim": "lim"}
SPACES = {",": 0.17, ":": 0.22, ";": 0.28, " ": 0.25, "quad": 1.0, "qquad": 2.0, "!": -0.17}
ACCENTS = {"bar": "¯", "hat": "^", "tilde": "~", "dot": "˙", "overline": "¯", "widehat": "^", "vec": "→"}
STYLES = {  # upright, or by the letter's own character
    "mathrm": "normal", "operatorname": "normal", "mathsf": "normal", "text": "normal", "mathit": "italic",
    "mathbf": "bold", "mathbb": "double", "mathcal": "normal", "textbf": "bold",
}  # fmt: skip
SIZES = {"big": 1.2, "Big": 1.6, "bigl": 1.2, "bigr": 1.2, "Bigl": 1.6, "Bigr": 1.6, "bigg": 2.1, "Bigg": 2.6}
DOUBLE = {"R": "ℝ", "E": "𝔼", "N": "ℕ", "Z": "ℤ", "P": "ℙ", "S": "𝕊", "1": "𝟙", "Q": "ℚ", "C": "ℂ"}
