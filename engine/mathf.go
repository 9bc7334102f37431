package engine

import "math"

// Floating point gives the same bits on every machine only when each operation is rounded by itself. Go may fuse
// x*y + z into one rounding, and an explicit conversion forbids it: a product that feeds a sum is float64(x*y) (E12).

const (
	ln2Hi  = 6.93147180369123816490e-01 // 3fe62e42 fee00000
	ln2Lo  = 1.90821492927058770002e-10 // 3dea39ef 35793c76
	invLn2 = 1.44269504088896338700e+00 // 3ff71547 652b82fe
	two54  = 1 << 54
)

// ln is the natural logarithm of x > 0, to less than 1 ulp: FreeBSD's e_log.c with its branches (E12).
func ln(x float64) float64 {
	bits, k := math.Float64bits(x), 0
	if bits < 1<<52 { // subnormal
		bits, k = math.Float64bits(x*two54), -54
	}
	high := int32(bits >> 32)
	k += int(high>>20) - 1023
	high &= 0x000fffff
	carry := (high + 0x95f64) & 0x100000 // x is halved when its fraction is above sqrt(2)
	k += int(carry >> 20)
	f := math.Float64frombits(uint64(high|(carry^0x3ff00000))<<32|bits&0xffffffff) - 1
	dk := float64(k)
	if 0x000fffff&(2+high) < 3 { // |f| < 2^-20
		return lnNearOne(f, dk)
	}
	s := f / (2 + f)
	r := lnSeries(float64(s * s))
	if (high-0x6147a)|(0x6b851-high) > 0 { // f is in [0.38, 0.42] or its mirror
		half := float64(float64(0.5*f) * f)
		if k == 0 {
			return f - (half - float64(s*(half+r)))
		}
		return float64(dk*ln2Hi) - ((half - (float64(s*(half+r)) + float64(dk*ln2Lo))) - f)
	}
	if k == 0 {
		return f - float64(s*(f-r))
	}
	return float64(dk*ln2Hi) - ((float64(s*(f-r)) - float64(dk*ln2Lo)) - f)
}

// lnNearOne is ln((1 + f) * 2^k) for |f| < 2^-20.
func lnNearOne(f, k float64) float64 {
	if f == 0 {
		return float64(k*ln2Hi) + float64(k*ln2Lo)
	}
	r := float64(float64(f*f) * (0.5 - float64(0.33333333333333333*f)))
	if k == 0 {
		return f - r
	}
	return float64(k*ln2Hi) - ((r - float64(k*ln2Lo)) - f)
}

// lnSeries is the series of ln(1 + f) in z = s*s, without its first term.
func lnSeries(z float64) float64 {
	const (
		lg1 = 6.666666666666735130e-01 // 3fe55555 55555593
		lg2 = 3.999999999940941908e-01 // 3fd99999 9997fa04
		lg3 = 2.857142874366239149e-01 // 3fd24924 94229359
		lg4 = 2.222219843214978396e-01 // 3fcc71c5 1d8e78af
		lg5 = 1.818357216161805012e-01 // 3fc74664 96cb03de
		lg6 = 1.531383769920937332e-01 // 3fc39a09 d078c69f
		lg7 = 1.479819860511658591e-01 // 3fc2f112 df3e5244
	)
	w := float64(z * z)
	even := float64(w * (lg2 + float64(w*(lg4+float64(w*lg6)))))
	odd := float64(z * (lg1 + float64(w*(lg3+float64(w*(lg5+float64(w*lg7)))))))
	return odd + even
}

const (
	expOverflow  = 7.09782712893383973096e+02  // 40862e42 fefa39ef
	expUnderflow = -7.45133219101941108420e+02 // c0874910 d52d3051
)

// exp is e to the x, to less than 1 ulp: e_exp.c of 2004, with no special case at 1 (E12).
func exp(x float64) float64 {
	if x > expOverflow {
		return math.Float64frombits(0x7ff << 52)
	}
	if x < expUnderflow {
		return 0
	}
	switch high := uint32(math.Float64bits(x)>>32) & 0x7fffffff; {
	case high > 0x3fd62e42: // |x| > 0.5 ln 2
		k := expExponent(x, high)
		t := float64(k)
		return expReduced(x-float64(t*ln2Hi), float64(t*ln2Lo), k)
	case high < 0x3e300000: // |x| < 2^-28
		return 1 + x
	default:
		c := expSeries(x)
		return 1 - (float64(x*c)/(c-2) - x)
	}
}

// expExponent is the k for which |x - k ln 2| is at most about 0.5 ln 2; high is the upper word of |x|.
func expExponent(x float64, high uint32) int {
	half, sign := 0.5, 1
	if x < 0 {
		half, sign = -0.5, -1
	}
	if high < 0x3ff0a2b2 { // |x| < 1.5 ln 2
		return sign
	}
	return int(float64(invLn2*x) + half)
}

// expReduced is e^(hi - lo) * 2^k for a small hi - lo; the scaling is one exact step or, for tiny results, two.
func expReduced(hi, lo float64, k int) float64 {
	x := hi - lo
	c := expSeries(x)
	y := 1 - ((lo - float64(x*c)/(2-c)) - hi)
	switch {
	case k < -1021:
		return float64(y*powerOfTwo(k+1000)) * powerOfTwo(-1000)
	case k == 1024:
		return float64(y*2) * powerOfTwo(1023)
	default:
		return y * powerOfTwo(k)
	}
}

// expSeries is x minus the Remez polynomial of e_exp.c in x*x.
func expSeries(x float64) float64 {
	const (
		p1 = 1.66666666666666019037e-01  // 3fc55555 5555553e
		p2 = -2.77777777770155933842e-03 // bf66c16c 16bebd93
		p3 = 6.61375632143793436117e-05  // 3f11566a af25de2c
		p4 = -1.65339022054652515390e-06 // bebbbd41 c5d26bf1
		p5 = 4.13813679705723846039e-08  // 3e663769 72bea4d0
	)
	t := float64(x * x)
	return x - float64(t*(p1+float64(t*(p2+float64(t*(p3+float64(t*(p4+float64(t*p5)))))))))
}

// powerOfTwo is 2^k for a k of -1022 to 1023.
func powerOfTwo(k int) float64 { return math.Float64frombits(uint64(k+1023) << 52) }

// never is an instant that no run reaches: 146 years. Sums of it and an instant of a run do not overflow.
const never int64 = 1 << 62

// roundNs rounds x >= 0 half to even, and what is above never to never (E1).
func roundNs(x float64) int64 {
	x = float64(x) // an inlined caller's product must not fuse with the subtraction
	if x >= float64(never) {
		return never
	}
	n := int64(x)
	if rest := x - float64(n); rest > 0.5 || rest == 0.5 && n&1 == 1 {
		n++
	}
	return n
}

// secondsToNs is a document's seconds in whole nanoseconds (E1).
func secondsToNs(seconds float64) int64 { return roundNs(float64(seconds * 1e9)) }

// msToNs is a document's milliseconds in whole nanoseconds (E1).
func msToNs(ms float64) int64 { return roundNs(float64(ms * 1e6)) }

// nsToMs is a result's milliseconds (E25).
func nsToMs(ns int64) float64 { return float64(ns) / 1e6 }
