"""Odd fields, and damage to lines and bytes, for tables and streams."""

import random

FIELDS = [
    *("", " ", "nan", "NaN", "NA", "null", "inf", "-inf", "1e400", "-1e308", "1e308", "1e155"),
    *("1e101", "1e99", "1e-320", "5e-324", "-0", "9" * 400, "0x10", "1,5", "1_000", "$1,234.50"),
    *("\u0661\u0662", "\u2167", "1e", "+-1", "--", ".", "true", "FALSE", "yes", "2", "-1", "0.5"),
    *("2024-02-30", "9999-12-31T23:59:59", "0001-01-01", "24:00", "2024-01-01T00:00:00+99:00"),
    *('"', '"a', 'a"b', "\r", "\x00", "\ufeff", "\u2028", "\ud7ff", "{}", "[1]", ";", "\t", "|"),
    *("=1+1", "a" * 140_000, "a,b,c", "`", "'", "\\", "e1", "e7", "\x1a", "\x85", "\U0001f4b0"),
]


def other_field(rng, value):
    """A field in place of another one."""
    how = rng.randrange(5)
    if how == 0:
        return "".join(
            chr(rng.choice([rng.randrange(32, 127), rng.randrange(0xD7FF)])) for _ in "abc"
        )
    if how == 1:
        return f"{value}{rng.choice(FIELDS)}"
    if how == 2:
        return repr(rng.choice([-1, 1]) * 10.0 ** rng.randrange(-320, 308) * rng.random())
    return rng.choice(FIELDS)


def damaged_line(rng, line):
    """One line of a CSV, changed in its fields, its length or its bytes."""
    how = rng.randrange(8)
    if how < 5:
        fields = line.split(",")
        at = rng.randrange(len(fields))
        fields[at] = other_field(rng, fields[at])
        return ",".join(fields).encode("utf-8", "surrogatepass")
    if how == 5:
        return rng.choice(
            ["", line + "," + line, line.split(",")[0], line[: len(line) // 2]]
        ).encode()
    return damaged_bytes(rng, line.encode())


def damaged_bytes(rng, data):
    """Some bytes changed, removed or added."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 2, 5])):
        if data:
            at = rng.randrange(len(data))
            new = bytes(rng.randrange(256) for _ in range(rng.choice([0, 1, 1, 1, 3])))
            data[at : at + rng.choice([0, 1, 1, 9])] = new
    return bytes(data)


def rows(rng, n):
    """Lines of a small table: amount, kind, when, x, y."""
    yield "amount,kind,when,x,y"
    for i in range(n):
        when = f"2024-{1 + i % 12:02}-{1 + i % 28:02}"
        x = rng.gauss(0, 1)
        label = int(x + rng.gauss(0, 1) > 0)
        yield f"{rng.lognormvariate(3, 1):.2f},{rng.choice('uvw')},{when},{x:.3f},{label}"


def seeded(seed):
    """The random numbers of a case."""
    return random.Random(seed)
