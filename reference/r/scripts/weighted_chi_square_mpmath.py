"""Writes gam/weighted_chi_square_mpmath.json: exact tail probabilities for tests of the p-value kernel.

p = P( sum_i w_i chi2_1 > (q/k0) chi2_k0 ) for the weights of Wood (2013): k-1 ones,
w_k = ((nu+1) + sqrt((nu+1)(1-nu)))/2 and w_{k+1} = (nu+1) - w_k; `nu` and `q` are the exact binary doubles.

Method: Ruben's (1962) mixture with the smallest weight as scale, all terms positive, 60 digits, stopped by a bound on the
remainder of 1e-30 relative. Cases with k = 1 are checked against a one-dimensional, some with k = 3 against a two-dimensional
integral over directions, which share nothing with the series.

Made with Python 3.11.7, mpmath 1.4.1, gmpy2 2.3.2:  python weighted_chi_square_mpmath.py ../gam/weighted_chi_square_mpmath.json
"""

import json
import random
import sys
from math import inf, log

from mpmath import mp, mpf

mp.dps = 60
MOST_TERMS = 400_000


def weights(k, nu):
    nu = mpf(nu)
    w = ((nu + 1) + mp.sqrt((nu + 1) * (1 - nu))) / 2
    return w, (nu + 1) - w


def beta_half(x, a):
    """I_x(a, 1/2): two-sided tail of Student's t with 2a degrees of freedom."""
    df = 2 * a
    t = mp.sqrt(df * (1 - x) / x)
    # mpmath's quad measures its error absolutely, so integrands are divided by their largest value
    scale = 1 / (1 + t * (df + 1) / (df + t * t))  # length over which the density falls by about e
    height = mp.exp(-(df + 1) / 2 * mp.log1p(t * t / df))
    density = lambda s: mp.exp(-(df + 1) / 2 * mp.log1p((s * s - t * t) / (df + t * t)))
    points = [t + scale * (mpf(2) ** j - 1) for j in range(0, 12)] + [mp.inf]
    if df < 50:
        # heavy tail: integrate over the angle instead
        end = mp.asin(mp.sqrt(x))
        tail = mp.sin(end) ** (df - 1) * mp.quad(lambda e: (mp.sin(e) / mp.sin(end)) ** (df - 1), mp.linspace(0, end, 5))
        whole = mp.quad(lambda e: mp.sin(e) ** (df - 1), mp.linspace(0, mp.pi / 2, 5))
        return tail / whole
    constant = mp.exp(mp.loggamma((df + 1) / 2) - mp.loggamma(df / 2)) / mp.sqrt(df * mp.pi)
    return 2 * constant * height * mp.quad(density, points)


def ruben(k, nu, k0, q):
    w, beta = weights(k, nu)
    a, x = mpf(k0) / 2, beta / (beta + mpf(q) / k0)
    g1, g2 = 1 - beta, 1 - beta / w
    c = mp.sqrt(beta) ** (k - 1) * mp.sqrt(beta / w)
    # I_x(a, b) at b = (k+1)/2, going up from b = 1/2 or 1
    b = mpf(1) / 2 if k % 2 == 0 else mpf(1)
    tail = beta_half(x, a) if k % 2 == 0 else x**a
    # x^a (1-x)^b / (b B(a, b))
    step = mp.exp(a * mp.log(x) + b * mp.log1p(-x) + mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b + 1))
    while b < mpf(k + 1) / 2:
        tail += step
        step *= (1 - x) * (a + b) / (b + 1)
        b += 1
    total, m, s1, s2 = mpf(0), 0, mpf(0), mpf(0)
    while m < MOST_TERMS:
        total += c * tail
        s1, s2 = g1 * (s1 + c), g2 * (s2 + c)
        c_next = ((k - 1) * s1 + s2) / (2 * (m + 1))
        tail_next = tail + step
        step *= (1 - x) * (a + b) / (b + 1)
        b += 1
        m += 1
        # c_{m+1}/c_m <= g2 (m + k/2)/(m + 1) and tail_{m+1}/tail_m falls with m, so the rest is below a geometric series
        if m % 16 == 0:
            ratio = g2 * max(mpf(1), (m + mpf(k) / 2) / (m + 1)) * (1 + step / tail_next)
            if ratio < 1 and c_next * tail_next / (1 - ratio) < total * mpf(10) ** -30:
                return total, m
        c, tail = c_next, tail_next
    return None, m


def by_direction(k, nu, k0, q):
    """The same probability as an average over directions; k = 1 (circle) or k = 3 (four-dimensional sphere)."""
    w, beta = weights(k, nu)
    h = lambda e: w * mp.cos(e) ** 2 + beta * mp.sin(e) ** 2
    a, r = mpf(k0) / 2, mpf(q) / k0
    if k == 1:
        return (1 + r / w) ** (-a) * mp.quad(lambda e: ((1 + r / h(mp.pi / 2 - e)) / (1 + r / w)) ** (-a), [0] + [mp.pi / 2 ** (j / mpf(2)) for j in range(24, 1, -1)]) * 2 / mp.pi

    def tail(v):
        x = 1 / (1 + r / v)
        return x**a * (1 + a * (1 - x))

    with mp.workdps(20):
        return tail(w) * mp.quad(lambda e: mp.quad(lambda u: tail(u + (1 - u) * h(e)) / tail(w), [0, 0.5, 1]), [0, mp.pi / 4, mp.pi / 2]) * 2 / mp.pi


def chernoff(k, nu, k0, q):
    """log of an upper bound of p, in double precision: only used to choose q."""
    w, beta = map(float, weights(k, nu))
    cgf = lambda s: -(k - 1) / 2 * log(1 - 2 * s) - 0.5 * log(1 - 2 * w * s) - 0.5 * log(1 - 2 * beta * s) - k0 / 2 * log(1 + 2 * q / k0 * s)
    low, high = 0.0, 0.5 / w * (1 - 1e-12)
    for _ in range(200):
        a, b = low + (high - low) * 0.382, low + (high - low) * 0.618
        low, high = (low, b) if cgf(a) < cgf(b) else (a, high)
    return cgf(low)


def q_for(k, nu, k0, target):
    low, high = -5.0, 250.0  # log10 of q
    if chernoff(k, nu, k0, 10.0**high) > log(target):
        return inf
    for _ in range(100):
        mid = (low + high) / 2
        low, high = (mid, high) if chernoff(k, nu, k0, 10.0**mid) > log(target) else (low, mid)
    return float(f"{10.0**low:.4g}")


def main():
    random.seed(20130)
    cases = []
    for k in (1, 2, 3, 4, 7, 9, 20):
        for nu in (0.001, 0.01, 0.07, 0.3, 0.5, 0.9, 0.999):
            for k0 in (1, 2, 5, 20, 100, 900, 100_000, 100_000_000):
                for target in (None, 1e-3, 1e-20, 1e-100, 1e-280):
                    if random.random() > 0.16:
                        continue
                    if target is None:
                        q = float(f"{(k + nu) * random.choice([0.02, 0.4, 0.8, 1.0, 1.3, 2.0]):.4g}")
                    else:
                        q = q_for(k, nu, k0, target)
                    if q == inf:
                        continue
                    p, terms = ruben(k, nu, k0, q)
                    if p is None:
                        continue
                    if k == 1:
                        assert abs(by_direction(k, nu, k0, q) / p - 1) < 1e-16, (k, nu, k0, q, p)
                    if k == 3 and k0 <= 900 and p > 1e-30:
                        assert abs(by_direction(k, nu, k0, q) / p - 1) < 1e-9, (k, nu, k0, q, p)
                    cases.append({"k": k, "nu": nu, "k0": k0, "q": q, "p": float(mp.nstr(p, 18)), "terms": terms})
                    print(cases[-1], file=sys.stderr, flush=True)
    with open(sys.argv[1], "w") as out:
        out.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")


main()
