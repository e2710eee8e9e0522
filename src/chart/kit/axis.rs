//! From values to pixels, and the marks of axes.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AxisScale {
    /// Equal steps for equal differences.
    #[default]
    Linear,
    /// Equal steps for equal ratios.
    Log,
}

/// A range of values laid over a range of pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Axis {
    scale: AxisScale,
    low: f64,
    high: f64,
    start: i32,
    end: i32,
}

impl Axis {
    /// An axis for values from `low` to `high` over the pixels from `start` to `end` (which may run backwards).
    /// A range without extent is widened, and a logarithmic one starts above zero.
    pub fn new(scale: AxisScale, (low, high): (f64, f64), (start, end): (i32, i32)) -> Self {
        let high = if high.is_finite() && high > 0.0 { high } else { 1.0 };
        let low = match scale {
            AxisScale::Linear if low.is_finite() && low < high => low,
            AxisScale::Linear => 0.0,
            AxisScale::Log if low.is_finite() && low > 0.0 && low < high => low,
            AxisScale::Log => high / 10.0,
        };
        Self { scale, low, high, start, end }
    }

    /// Pixel of `value`, held within the axis.
    pub fn at(&self, value: f64) -> i32 {
        let share = match self.scale {
            AxisScale::Linear => (value - self.low) / (self.high - self.low),
            AxisScale::Log if value > 0.0 => (value / self.low).ln() / (self.high / self.low).ln(),
            AxisScale::Log => 0.0,
        };
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        self.start + (share * f64::from(self.end - self.start)).round() as i32
    }

    /// The value at a pixel, held within the axis.
    pub fn value(&self, pixel: f64) -> f64 {
        let share = ((pixel - f64::from(self.start)) / f64::from(self.end - self.start)).clamp(0.0, 1.0);
        match self.scale {
            AxisScale::Linear => self.low + share * (self.high - self.low),
            AxisScale::Log => self.low * (self.high / self.low).powf(share),
        }
    }

    /// Sizes to be marked, about `count` of them: powers of two, or round numbers of a unit where the axis is not
    /// logarithmic.
    pub fn byte_marks(&self, unit: f64, count: usize) -> Vec<f64> {
        match self.scale {
            AxisScale::Log => self.binary_marks(count),
            AxisScale::Linear => {
                linear_marks(self.low / unit, self.high / unit, count).into_iter().map(|mark| mark * unit).collect()
            }
        }
    }

    /// Values to be marked, about `count` of them.
    pub fn marks(&self, count: usize) -> Vec<f64> {
        match self.scale {
            AxisScale::Linear => linear_marks(self.low, self.high, count),
            // A short range of a logarithmic axis is nearly linear, and contains few marks of a decade.
            AxisScale::Log if self.high < 3.0 * self.low => linear_marks(self.low, self.high, count),
            AxisScale::Log => log_marks(self.low, self.high, count),
        }
    }

    /// Powers of two to be marked, at most `count` of them.
    pub fn binary_marks(&self, count: usize) -> Vec<f64> {
        let (first, last) = (self.low.log2().ceil() as i32, self.high.log2().floor() as i32);
        let fits = |step: &i32| (last - first) / step < count.max(1) as i32;
        let step = [1, 2, 5, 10, 20].into_iter().find(fits).unwrap_or(40);
        (first..=last).filter(|exponent| exponent % step == 0).map(|exponent| 2f64.powi(exponent)).collect()
    }
}

/// The largest power of ten, or two or five times one, that is at most `value`.
pub(crate) fn nice_below(value: f64) -> f64 {
    let decade = 10f64.powf(value.log10().floor());
    [5.0, 2.0, 1.0].into_iter().map(|m| m * decade).find(|v| *v <= value * (1.0 + 1e-9)).unwrap_or(decade)
}

/// The smallest power of ten, or two or five times one, that is at least `value`.
pub(crate) fn nice_above(value: f64) -> f64 {
    let decade = 10f64.powf(value.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|m| m * decade).find(|v| *v >= value * (1.0 - 1e-9)).unwrap_or(10.0 * decade)
}

fn linear_marks(low: f64, high: f64, count: usize) -> Vec<f64> {
    let step = nice_above((high - low) / count.max(1) as f64);
    let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
    (first..=last).map(|k| k as f64 * step).collect()
}

fn log_marks(low: f64, high: f64, count: usize) -> Vec<f64> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let within = |multiples: &[f64], every: i32| -> Vec<f64> {
        (first..=last)
            .filter(|exponent| exponent % every == 0)
            .flat_map(|exponent| multiples.iter().map(move |m| m * 10f64.powi(exponent)))
            .filter(|value| *value >= low * (1.0 - 1e-9) && *value <= high * (1.0 + 1e-9))
            .collect()
    };
    let finest: &[f64] = &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0];
    for (multiples, every) in
        [(finest, 1), (&[1.0, 2.0, 5.0], 1), (&[1.0, 3.0], 1), (&[1.0], 1), (&[1.0], 2), (&[1.0], 3)]
    {
        let marks = within(multiples, every);
        if marks.len() <= count {
            return marks;
        }
    }
    within(&[1.0], 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pixel_has_the_value_that_stands_there() {
        for (scale, ends) in [(AxisScale::Linear, (3.0, 47.0)), (AxisScale::Log, (0.5, 4000.0))] {
            for pixels in [(60, 460), (400, 20)] {
                let axis = Axis::new(scale, ends, pixels);
                for pixel in [pixels.0, 123, 277, pixels.1] {
                    assert_eq!(axis.at(axis.value(f64::from(pixel))), pixel);
                }
            }
        }
    }

    #[test]
    fn marks_are_round_and_within_the_axis() {
        let linear = Axis::new(AxisScale::Linear, (0.0, 47.3), (0, 100));
        assert_eq!(linear.marks(5), [0.0, 10.0, 20.0, 30.0, 40.0]);
        let log = Axis::new(AxisScale::Log, (1.8, 47.3), (0, 100));
        assert_eq!(log.marks(5), [2.0, 5.0, 10.0, 20.0]);
        let short = Axis::new(AxisScale::Log, (33.0, 52.0), (0, 100));
        assert_eq!(short.marks(5), [35.0, 40.0, 45.0, 50.0]);
        let wide = Axis::new(AxisScale::Log, (1.0, 1e9), (0, 100));
        assert_eq!(wide.marks(5).len(), 5);
        let bytes = Axis::new(AxisScale::Log, (100.0, 3e6), (0, 100));
        assert_eq!(bytes.binary_marks(6), [1024.0, 32_768.0, 1_048_576.0]);
    }

    #[test]
    fn any_value_has_a_place_on_the_axis() {
        for scale in [AxisScale::Linear, AxisScale::Log] {
            for range in [(0.0, 0.0), (5.0, 5.0), (f64::NAN, f64::INFINITY), (-1.0, 3.0)] {
                let axis = Axis::new(scale, range, (10, 90));
                for value in [f64::NAN, f64::NEG_INFINITY, -1.0, 0.0, 1.0, 1e300] {
                    assert!((10..=90).contains(&axis.at(value)), "{scale:?} {range:?} {value}");
                }
                assert!(axis.marks(5).len() <= 7);
            }
        }
    }
}
