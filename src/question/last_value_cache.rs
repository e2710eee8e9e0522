//! A cache of one entry: consecutive questions about the same design share values that are expensive to make.

/// The last value, with its key.
pub struct LastValueCache<K, V>(Option<(K, V)>);

impl<K, V> Default for LastValueCache<K, V> {
    fn default() -> Self {
        Self(None)
    }
}

impl<K: PartialEq, V> LastValueCache<K, V> {
    /// The value of a key: the cached one if it has this key, else a new one, which replaces it.
    ///
    /// # Errors
    /// Those of `make`; then nothing is kept.
    pub fn of<E>(&mut self, key: K, make: impl FnOnce(&K) -> Result<V, E>) -> Result<&mut V, E> {
        self.of_after(key, |key, _| make(key))
    }

    /// Like [`Self::of`], but a new value is made from the one that it replaces.
    ///
    /// # Errors
    /// Those of `make`; then nothing is kept.
    pub fn of_after<E>(&mut self, key: K, make: impl FnOnce(&K, Option<V>) -> Result<V, E>) -> Result<&mut V, E> {
        let kept = match self.0.take() {
            Some((kept, value)) if kept == key => (kept, value),
            before => {
                let value = make(&key, before.map(|(_, value)| value))?;
                (key, value)
            }
        };
        Ok(&mut self.0.insert(kept).1)
    }
}
