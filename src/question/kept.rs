//! What the last question was about, for the next one about the same.

/// The value that was made last, with what it was made of.
pub struct Kept<K, V>(Option<(K, V)>);

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Self(None)
    }
}

impl<K: PartialEq, V> Kept<K, V> {
    /// The value of this key: the last one if it is the same, else a new one.
    ///
    /// # Errors
    /// Why it cannot be made; then nothing is kept.
    pub fn of<E>(&mut self, key: K, make: impl FnOnce(&K) -> Result<V, E>) -> Result<&mut V, E> {
        let kept = match self.0.take().filter(|(kept, _)| *kept == key) {
            Some(kept) => kept,
            None => {
                let value = make(&key)?;
                (key, value)
            }
        };
        Ok(&mut self.0.insert(kept).1)
    }
}
