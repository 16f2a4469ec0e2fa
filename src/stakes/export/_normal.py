"""The normal distribution function from operators that ONNX runtimes have in double precision."""

import numpy as np

from stakes.export._graph import Value

# Rational functions of the Cephes library, which scipy computes ndtr with: S. Moshier, "Methods and
# Programs for Mathematical Functions", 1989. erf(x) = x T(x^2) / U(x^2) up to one; beyond it
# erfc(x) = exp(-x^2) P(x) / Q(x) up to eight and exp(-x^2) R(x) / S(x) from there on.
P = (
    2.46196981473530512524e-10,
    5.64189564831068821977e-1,
    7.46321056442269912687e0,
    4.86371970985681366614e1,
    1.96520832956077098242e2,
    5.26445194995477358631e2,
    9.34528527171957607540e2,
    1.02755188689515710272e3,
    5.57535335369399327526e2,
)
Q = (
    1.0,
    1.32281951154744992508e1,
    8.67072140885989742329e1,
    3.54937778887819891062e2,
    9.75708501743205489753e2,
    1.82390916687909736289e3,
    2.24633760818710981792e3,
    1.65666309194161350182e3,
    5.57535340817727675546e2,
)
R = (
    5.64189583547755073984e-1,
    1.27536670759978104416e0,
    5.01905042251180477414e0,
    6.16021097993053585195e0,
    7.40974269950448939160e0,
    2.97886665372100240670e0,
)
S = (
    1.0,
    2.26052863220117276590e0,
    9.39603524938001434673e0,
    1.20489539808096656605e1,
    1.70814450747565897222e1,
    9.60896809063285878198e0,
    3.36907645100081516050e0,
)
T = (
    9.60497373987051638749e0,
    9.00260197203842689217e1,
    2.23200534594684319226e3,
    7.00332514112805075473e3,
    5.55923013010394962768e4,
)
U = (
    1.0,
    3.35617141647503099647e1,
    5.21357949780152679795e2,
    4.59432382970980127987e3,
    2.26290000613890934246e4,
    4.92673942608635921086e4,
)


def normal_cdf(z: Value) -> Value:
    """Probability that a standard normal variable is at most z."""
    x = z * np.sqrt(0.5)
    size = x.op("Abs")
    near = size.op("Min", 1.0)
    square = near * near
    middle = near * _polynomial(T, square) / _polynomial(U, square)
    far = size.clip(1.0, 40.0)  # beyond it the probability is zero
    tail = z.graph.where(
        far < 8.0,
        _polynomial(P, far) / _polynomial(Q, far),
        _polynomial(R, far) / _polynomial(S, far),
    )
    upper = 0.5 * z.graph.where(size < 1.0, 1.0 - middle, (-(far * far)).op("Exp") * tail)
    return z.graph.where(x < 0.0, upper, 1.0 - upper)


def _polynomial(coefficients, x):
    total = x * coefficients[0] + coefficients[1]
    for c in coefficients[2:]:
        total = total * x + c
    return total
