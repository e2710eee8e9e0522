//! Sizes of one layer, inferred from those of the layers it reads.

use super::layer::{Dim, LayerKind, LayerShape, LoopSizes, Padding, Precision, Sparsity, touched_extent};
use super::network::Layer;
use super::operation::{Operation, Operations};
use super::view::{MapSize, View};
use crate::hardware::MAX_SIZE;
use crate::sorting::sort_few_by_key;
use crate::spec::{Diagnostics, KernelSpec, LayerSpec, MapAxis, PaddingSpec, ViewSpec, WorkloadSpec};

/// Largest size of one loop dimension, stride or the like; no network comes near it.
pub const MAX_EXTENT: u64 = 1 << 24;
/// Most operations of a kind to one element.
const MAX_OPERATIONS: u16 = 1 << 10;
/// Largest dilation.
const MAX_DILATION: u64 = 1 << 10;

/// Columns, rows and channels of a layer's output.
pub(super) fn map_size(layer: &Layer) -> MapSize {
    let ((columns, rows), channels) = output_map(layer);
    MapSize { columns, rows, channels }
}

/// Columns and rows, and channels, of a layer's output.
fn output_map(layer: &Layer) -> ((u64, u64), u64) {
    let shape = &layer.shape;
    ((shape.size(Dim::OX), shape.size(Dim::OY)), shape.output_channels())
}

/// Infers the sizes of one layer from those of its producers.
pub(super) struct Sizing<'a> {
    pub spec: &'a WorkloadSpec,
    pub layer: &'a LayerSpec,
    pub kind: LayerKind,
    pub path: String,
    pub producers: Vec<&'a Layer>,
}

impl Sizing<'_> {
    /// The layer, unless something is wrong with it.
    pub fn build(&self, diagnostics: &mut Diagnostics) -> Option<Layer> {
        if self.kind == LayerKind::View
            && let Some(view) = self.view()
        {
            return self.arranged(view, diagnostics);
        }
        let before = diagnostics.0.len();
        let (input_size, input_channels) = self.input(diagnostics);
        let (kernel, padding) = self.window(input_size);
        let stride = self.layer.stride.unwrap_or((1, 1));
        let dilation = self.layer.dilation.unwrap_or((1, 1));
        let counted = self.layer.input_counted.unwrap_or((1, 1));
        for (field, (x, y)) in
            [("kernel", kernel), ("stride", stride), ("dilation", dilation), ("input_counted", counted)]
        {
            let most = if field == "dilation" { MAX_DILATION } else { MAX_EXTENT };
            if x == 0 || y == 0 || x > most || y > most {
                self.complain(
                    diagnostics,
                    field,
                    format!("A {field} of {x} x {y} is impossible"),
                    format!("Write 1 to {most}"),
                );
            }
        }
        for (sides, kernel, dilation) in [
            (padding.left.max(padding.right), kernel.0, dilation.0),
            (padding.top.max(padding.bottom), kernel.1, dilation.1),
        ] {
            let window = dilation.saturating_mul(kernel.saturating_sub(1)).saturating_add(1);
            if sides >= window && sides > 0 {
                self.complain(
                    diagnostics,
                    "padding",
                    format!("With a padding of {sides} some outputs of `{}` see nothing but zeros", self.layer.name),
                    format!("Write less than the kernel spans, at most {}", window - 1),
                );
            }
        }
        if diagnostics.0.len() > before {
            return None;
        }
        let output_size = if self.has_own_map() {
            input_size
        } else {
            (
                self.outputs(
                    input_size.0,
                    padding.left + padding.right,
                    kernel.0,
                    stride.0,
                    dilation.0,
                    "columns",
                    diagnostics,
                )?,
                self.outputs(
                    input_size.1,
                    padding.top + padding.bottom,
                    kernel.1,
                    stride.1,
                    dilation.1,
                    "rows",
                    diagnostics,
                )?,
            )
        };
        for (size, padding, kernel, stride, dilation, outputs) in [
            (input_size.0, padding.left, kernel.0, stride.0, dilation.0, output_size.0),
            (input_size.1, padding.top, kernel.1, stride.1, dilation.1, output_size.1),
        ] {
            if let Some(output) = self.blind_output(size, padding, kernel, stride, dilation, outputs) {
                self.complain(
                    diagnostics,
                    "dilation",
                    format!("All taps of output {output} of `{}` fall into the padding", self.layer.name),
                    "Make the dilation or the padding smaller".into(),
                );
            }
        }
        let sizes = self.sizes(input_channels, output_size, kernel, diagnostics)?;
        let (precision, sparsity) = self.stored_precision(diagnostics);
        let input_limit = self.touched(input_size, padding, (kernel, stride, dilation), output_size);
        let counted = self.layer.input_counted.unwrap_or(input_size);
        let shape = LayerShape {
            kind: self.kind,
            sizes,
            dim_order: self.dim_order(),
            stride,
            dilation,
            input_limit,
            untouched: (counted.0 as i64 - input_limit.0 as i64, counted.1 as i64 - input_limit.1 as i64),
            precision,
            sparsity,
            operations: self.operations(diagnostics),
        };
        self.check_products(&shape, diagnostics);
        (diagnostics.0.len() == before).then(|| Layer {
            name: self.layer.name.clone(),
            shape,
            padding,
            input_size,
            unroll: self.layer.unroll.clone(),
            view: None,
        })
    }

    /// How a view arranges the maps that it shows, where it says so.
    fn view(&self) -> Option<View> {
        let part = |axis: usize, range: Option<(u64, u64)>| {
            let whole = self.producers.first().map_or(0, |producer| {
                let MapSize { columns, rows, channels } = map_size(producer);
                [channels, columns, rows][axis]
            });
            range.unwrap_or((0, whole))
        };
        match (self.layer.shows, self.layer.padding) {
            (Some(ViewSpec::Join(axis)), _) => Some(View::Join(axis)),
            (Some(ViewSpec::Part(ranges)), _) => Some(View::Part([0, 1, 2].map(|axis| part(axis, ranges[axis])))),
            (Some(ViewSpec::Scale(columns, rows)), _) => Some(View::Scale(columns, rows)),
            (Some(ViewSpec::Blocks(columns, rows)), _) => Some(View::Blocks(columns, rows)),
            (None, PaddingSpec::Sides(left, right, top, bottom)) => {
                Some(View::Padded(Padding { left, right, top, bottom }))
            }
            (None, PaddingSpec::None | PaddingSpec::Same) => None,
        }
    }

    /// A view whose map follows from the maps that it shows.
    fn arranged(&self, view: View, diagnostics: &mut Diagnostics) -> Option<Layer> {
        let before = diagnostics.0.len();
        let name = &self.layer.name;
        if self.producers.len() > 1 && !matches!(view, View::Join(_)) {
            let reason = format!("`{name}` shows {} maps, of which only `join` makes one", self.producers.len());
            self.complain(diagnostics, "from", reason, "Name one layer, or join them by a view first".into());
            return None;
        }
        let size = self.shown_size(view, diagnostics)?;
        let MapSize { columns, rows, channels } = size;
        let most = columns.max(rows).max(channels);
        if columns == 0 || rows == 0 || channels == 0 || most > MAX_EXTENT {
            let reason = format!("`{name}` shows a map of {channels} x {columns} x {rows} (channels x columns x rows)");
            diagnostics.add(&self.path, reason, format!("Show 1 to {MAX_EXTENT} of each"));
            return None;
        }
        let stated = (self.layer.channels.unwrap_or(channels), self.layer.size.unwrap_or((columns, rows)));
        for (field, differs, follows) in [
            ("K", stated.0 != channels, channels.to_string()),
            ("size", stated.1 != (columns, rows), format!("{columns} x {rows}")),
        ] {
            if differs {
                let reason = format!("What `{name}` shows has {field} {follows}, the document says otherwise");
                self.complain(diagnostics, field, reason, format!("Leave it out, or write `{field}: {follows}`"));
            }
        }
        let mut sizes: LoopSizes = [1; 8];
        for (dim, size) in [(Dim::B, self.spec.batch), (Dim::OX, columns), (Dim::OY, rows), (Dim::K, channels)] {
            sizes[dim as usize] = size;
        }
        let (precision, sparsity) = Sparsity::new(self.precision(diagnostics), self.density());
        let shape = LayerShape {
            kind: self.kind,
            sizes,
            dim_order: self.kind.dim_order(),
            stride: (1, 1),
            dilation: (1, 1),
            input_limit: (columns, rows),
            untouched: (0, 0),
            precision,
            sparsity,
            operations: self.operations(diagnostics),
        };
        self.check_products(&shape, diagnostics);
        (diagnostics.0.len() == before).then(|| Layer {
            name: name.clone(),
            shape,
            padding: Padding::default(),
            input_size: (columns, rows),
            unroll: Vec::new(),
            view: Some(view),
        })
    }

    /// The map that a view shows.
    fn shown_size(&self, view: View, diagnostics: &mut Diagnostics) -> Option<MapSize> {
        let name = &self.layer.name;
        let sizes: Vec<MapSize> = self.producers.iter().map(|producer| map_size(producer)).collect();
        let first = *sizes.first()?;
        let of = |size: &MapSize| [size.channels, size.columns, size.rows];
        let scaled = |columns: u64, rows: u64, channels: u64| MapSize {
            columns: first.columns.saturating_mul(columns),
            rows: first.rows.saturating_mul(rows),
            channels,
        };
        match view {
            View::Join(axis) => {
                let along = axis as usize;
                let differs =
                    |size: &&MapSize| (0..3).any(|other| other != along && of(size)[other] != of(&first)[other]);
                if sizes.iter().any(|size| differs(&size)) {
                    let maps = self.producers.iter().zip(&sizes).take(8);
                    let text: Vec<String> = maps
                        .map(|(one, size)| {
                            format!("`{}` is {} x {} x {}", one.name, size.channels, size.columns, size.rows)
                        })
                        .collect();
                    let reason = format!(
                        "`{name}` joins {} of maps that differ otherwise: {} (channels x columns x rows)",
                        axis.name(),
                        text.join(", ")
                    );
                    self.complain(diagnostics, "from", reason, "Join maps that are equal but for that".into());
                    return None;
                }
                let mut all = of(&first);
                all[along] = sizes.iter().map(|size| of(size)[along]).fold(0, u64::saturating_add);
                Some(MapSize { channels: all[0], columns: all[1], rows: all[2] })
            }
            View::Part(ranges) => {
                for ((axis, (start, end)), whole) in MapAxis::ALL.into_iter().zip(ranges).zip(of(&first)) {
                    if end > whole || start >= end {
                        let reason = format!("`{name}` shows {} {start} to {end} of {whole}", axis.name());
                        self.complain(diagnostics, axis.name(), reason, format!("Write a range within `0..{whole}`"));
                        return None;
                    }
                }
                let [channels, columns, rows] = ranges.map(|(start, end)| end - start);
                Some(MapSize { columns, rows, channels })
            }
            View::Scale(columns, rows) => Some(scaled(columns, rows, first.channels)),
            View::Blocks(columns, rows) => {
                let depth = columns.saturating_mul(rows);
                if depth == 0 || !first.channels.is_multiple_of(depth) {
                    let reason = format!("Blocks of {columns} x {rows} do not divide the {} channels", first.channels);
                    self.complain(diagnostics, "blocks", reason, "Choose blocks that divide the channels".into());
                    return None;
                }
                Some(scaled(columns, rows, first.channels / depth))
            }
            View::Padded(Padding { left, right, top, bottom }) => Some(MapSize {
                columns: first.columns.saturating_add(left).saturating_add(right),
                rows: first.rows.saturating_add(top).saturating_add(bottom),
                channels: first.channels,
            }),
        }
    }

    /// The first output column (or row) whose taps all fall into the padding, which only dilation can cause.
    fn blind_output(
        &self,
        size: u64,
        padding: u64,
        kernel: u64,
        stride: u64,
        dilation: u64,
        outputs: u64,
    ) -> Option<u64> {
        let sees = |output: &u64| {
            let at = output * stride;
            let skipped = padding.saturating_sub(at).next_multiple_of(dilation);
            skipped <= dilation * (kernel - 1) && at + skipped - padding < size
        };
        if dilation > 1 && padding > 0 { (0..outputs).find(|output| !sees(output)) } else { None }
    }

    fn complain(&self, diagnostics: &mut Diagnostics, field: &str, reason: String, remedy: String) {
        diagnostics.add(format!("{}.{field}", self.path), reason, remedy);
    }

    /// Columns, rows and channels of the input map.
    fn input(&self, diagnostics: &mut Diagnostics) -> ((u64, u64), u64) {
        let name = &self.layer.name;
        if self.has_own_map() {
            let what = self.kind.name();
            let size = self.layer.size.unwrap_or((0, 0));
            if size.0 == 0 || size.1 == 0 || size.0 > MAX_EXTENT || size.1 > MAX_EXTENT {
                let (reason, remedy) = match size.0.max(size.1) > MAX_EXTENT {
                    true => (
                        format!("The feature map of `{name}` is too large: {} x {}", size.0, size.1),
                        format!("Write at most {MAX_EXTENT} columns and rows"),
                    ),
                    false => (
                        format!("The {what} `{name}` has no feature map: {} x {}", size.0, size.1),
                        "Write columns x rows, for example `size: 224 x 224`".to_owned(),
                    ),
                };
                self.complain(diagnostics, "size", reason, remedy);
            }
            if self.layer.channels.is_none() {
                let reason = format!("The {what} `{name}` does not say how many channels it has");
                self.complain(diagnostics, "K", reason, "Write for example `K: 3`".into());
            }
            return (size, 1);
        }
        // Weights that a layer computes are no feature map.
        let count = if self.kind.reads_two_maps() { 2 } else { 1 };
        let maps: Vec<((u64, u64), u64)> =
            self.producers.iter().take(count).map(|producer| output_map(producer)).collect();
        let size = maps.iter().fold((u64::MAX, u64::MAX), |all, (size, _)| (all.0.min(size.0), all.1.min(size.1)));
        let channels = maps.iter().map(|(_, channels)| *channels).max().unwrap_or(1);
        let meets = |&(size, channels): &((u64, u64), u64)| match self.kind {
            LayerKind::Pairwise => size == maps[0].0 && maps[0].1.is_multiple_of(channels),
            _ => (size, channels) == maps[0],
        };
        if !self.layer.crop && !maps.iter().all(meets) {
            let text: Vec<String> = self
                .producers
                .iter()
                .zip(&maps)
                .map(|(producer, ((x, y), c))| format!("`{}` is {c} x {x} x {y}", producer.name))
                .collect();
            let (does, remedy) = match self.kind {
                LayerKind::Pairwise => (
                    "combines maps that do not meet",
                    "Make columns and rows equal, and the first's channels a multiple of the second's",
                ),
                _ => ("adds maps of different sizes", "Make them equal, or write `crop: true` to cut the larger down"),
            };
            let reason = format!("`{name}` {does}: {} (channels x columns x rows)", text.join(", "));
            self.complain(diagnostics, "from", reason, remedy.into());
        }
        (size, channels)
    }

    /// Whether its feature map follows from no other.
    fn has_own_map(&self) -> bool {
        matches!(self.kind, LayerKind::Input | LayerKind::View)
    }

    /// A depthwise layer may read its kernels from another layer, one number for each tap; each image would have its own.
    fn check_computed_kernels(&self, taps: u64, diagnostics: &mut Diagnostics) {
        let (Some(weights), LayerKind::Depthwise) = (self.producers.get(1), self.kind) else { return };
        let ((columns, rows), channels) = output_map(weights);
        let elements = columns.saturating_mul(rows).saturating_mul(channels);
        if elements != taps {
            let reason =
                format!("`{}` has {elements} elements, the kernels of `{}` {taps}", weights.name, self.layer.name);
            self.complain(
                diagnostics,
                "from",
                reason,
                "Read a layer with as many elements, such as one for each channel".into(),
            );
        }
        if self.spec.batch > 1 {
            let reason = format!(
                "Each of {} images has its own weights for `{}`, which is not modelled",
                self.spec.batch, self.layer.name
            );
            self.complain(diagnostics, "from", reason, "Write `batch: 1`, or name one layer only".into());
        }
    }

    /// Output channels of a product with another layer's output: the matrix has as many elements as that has.
    fn columns_of_matrix(&self, input_channels: u64, groups: u64, diagnostics: &mut Diagnostics) -> Option<u64> {
        let matrix = self.producers.get(1)?;
        let ((columns, rows), channels) = output_map(matrix);
        let elements = u128::from(columns) * u128::from(rows) * u128::from(channels);
        // For each group C x K elements, and C of every group together are the input channels.
        let k =
            (elements * u128::from(groups)).checked_div(u128::from(input_channels)).and_then(|k| u64::try_from(k).ok());
        let stated = self.layer.channels;
        let (Some(k), true) = (k, (elements * u128::from(groups)).is_multiple_of(u128::from(input_channels).max(1)))
        else {
            let reason = format!(
                "`{}` has {elements} elements, which {groups} matrices with {input_channels} rows in all cannot have",
                matrix.name
            );
            self.complain(diagnostics, "from", reason, "Read another layer, or change `groups`".into());
            return None;
        };
        if stated.is_some_and(|stated| stated != k) {
            let reason = format!("`{}` has elements for {k} output channels, K says otherwise", matrix.name);
            self.complain(diagnostics, "K", reason, format!("Leave K out, or write `K: {k}`"));
        }
        Some(k)
    }

    fn window(&self, input: (u64, u64)) -> ((u64, u64), Padding) {
        let kernel = match (self.layer.kernel, self.kind) {
            (KernelSpec::Size(x, y), _) => (x, y),
            (KernelSpec::Global, _) | (KernelSpec::Unstated, LayerKind::FullyConnected) => input,
            (KernelSpec::Unstated, _) => (1, 1),
        };
        let (stride, dilation) = (self.layer.stride.unwrap_or((1, 1)), self.layer.dilation.unwrap_or((1, 1)));
        let same = |size: u64, kernel: u64, stride: u64, dilation: u64| {
            let window = dilation.saturating_mul(kernel.saturating_sub(1)).saturating_add(1);
            let total = ((size.div_ceil(stride.max(1)).max(1) - 1).saturating_mul(stride).saturating_add(window))
                .saturating_sub(size);
            (total / 2, total - total / 2)
        };
        let padding = match self.layer.padding {
            PaddingSpec::None => Padding::default(),
            PaddingSpec::Sides(left, right, top, bottom) => Padding { left, right, top, bottom },
            PaddingSpec::Same => {
                let (left, right) = same(input.0, kernel.0, stride.0, dilation.0);
                let (top, bottom) = same(input.1, kernel.1, stride.1, dilation.1);
                Padding { left, right, top, bottom }
            }
        };
        (kernel, padding)
    }

    #[allow(clippy::too_many_arguments)]
    fn outputs(
        &self,
        input: u64,
        padding: u64,
        kernel: u64,
        stride: u64,
        dilation: u64,
        what: &str,
        diagnostics: &mut Diagnostics,
    ) -> Option<u64> {
        let window = dilation.checked_mul(kernel - 1).and_then(|span| span.checked_add(1)).unwrap_or(u64::MAX);
        let padded = input.saturating_add(padding);
        if window > padded {
            self.complain(
                diagnostics,
                "kernel",
                format!(
                    "The kernel of `{}` spans {window} {what}, its input has only {padded} with padding",
                    self.layer.name
                ),
                "Make the kernel or the dilation smaller, or add padding".into(),
            );
            return None;
        }
        Some((padded - window) / stride + 1)
    }

    fn sizes(
        &self,
        input_channels: u64,
        output: (u64, u64),
        kernel: (u64, u64),
        diagnostics: &mut Diagnostics,
    ) -> Option<LoopSizes> {
        let before = diagnostics.0.len();
        let name = &self.layer.name;
        let stated = self.layer.channels;
        if stated == Some(0) || stated.is_some_and(|k| k > MAX_EXTENT) {
            let reason = format!("`{name}` has {} channels", stated.unwrap_or(0));
            self.complain(diagnostics, "K", reason, format!("Write 1 to {MAX_EXTENT}"));
        }
        let groups = self.layer.groups.unwrap_or(1);
        let mut sizes: LoopSizes = [1; 8];
        let mut set = |dim: Dim, size: u64| sizes[dim as usize] = size;
        set(Dim::B, self.spec.batch);
        set(Dim::OX, output.0);
        set(Dim::OY, output.1);
        set(Dim::FX, kernel.0);
        set(Dim::FY, kernel.1);
        match self.kind {
            LayerKind::Input | LayerKind::View => {
                set(Dim::K, stated.unwrap_or(1));
                set(Dim::FX, 1);
                set(Dim::FY, 1);
            }
            kind if kind.is_channelwise() => {
                let channels = if self.layer.crop { stated.unwrap_or(input_channels) } else { input_channels };
                if !self.layer.crop {
                    self.check_kept_channels(input_channels, diagnostics);
                }
                set(Dim::G, channels);
                self.check_computed_kernels(channels.saturating_mul(kernel.0).saturating_mul(kernel.1), diagnostics);
            }
            LayerKind::Pairwise => {
                let met = self.producers.get(1).map_or(input_channels, |second| output_map(second).1);
                self.check_kept_channels(input_channels, diagnostics);
                set(Dim::G, met);
                set(Dim::K, (input_channels / met.max(1)).max(1));
            }
            LayerKind::Reduction => {
                let groups = self.layer.groups.unwrap_or(1);
                if groups == 0 || !input_channels.is_multiple_of(groups) {
                    let reason = format!("{groups} groups do not divide {input_channels} channels");
                    let remedy = "Choose a number of groups that divides them".into();
                    self.complain(diagnostics, "groups", reason, remedy);
                    return None;
                }
                set(Dim::G, groups);
                set(Dim::C, input_channels / groups);
            }
            _ => {
                let matrix = self.producers.len() > 1;
                let k = if matrix {
                    self.columns_of_matrix(input_channels, groups, diagnostics)?
                } else {
                    stated.unwrap_or(0)
                };
                if stated.is_none() && !matrix {
                    let reason = format!("`{name}` does not say how many output channels it has");
                    self.complain(diagnostics, "K", reason, "Write for example `K: 64`".into());
                }
                if groups == 0 || !input_channels.is_multiple_of(groups.max(1)) || !k.is_multiple_of(groups.max(1)) {
                    self.complain(
                        diagnostics,
                        "groups",
                        format!("{groups} groups divide neither or only one of {input_channels} input and {k} output channels"),
                        "Choose a number of groups that divides both".into(),
                    );
                    return None;
                }
                set(Dim::G, groups);
                set(Dim::K, k / groups);
                set(Dim::C, input_channels / groups);
            }
        }
        (diagnostics.0.len() == before).then_some(sizes)
    }

    /// A layer that computes each channel separately has as many as its input.
    fn check_kept_channels(&self, input_channels: u64, diagnostics: &mut Diagnostics) {
        if self.layer.channels.is_some_and(|stated| stated != input_channels) {
            let (name, kind) = (&self.layer.name, self.kind.name());
            let reason = format!("`{name}` ({kind}) keeps its {input_channels} channels, K says otherwise");
            self.complain(diagnostics, "K", reason, format!("Leave K out, or write `K: {input_channels}`"));
        }
    }

    /// The operations of a vector unit on an element: those stated, else an addition.
    fn operations(&self, diagnostics: &mut Diagnostics) -> Operations {
        let stated = &self.layer.operations;
        let mut operations = match self.kind {
            kind if stated.is_empty() && kind.is_for_vector_unit() => Operations::one(Operation::Add),
            _ => Operations::default(),
        };
        for (name, count) in stated {
            let field = format!("operations.{name}");
            match (Operation::from_name(name), u16::try_from(*count).ok().filter(|count| *count <= MAX_OPERATIONS)) {
                (Some(operation), Some(count)) => operations.set(operation, count),
                (None, _) => {
                    let reason = format!("There is no operation `{name}`");
                    let names = Operation::ALL.map(Operation::name);
                    diagnostics.add_unknown(format!("{}.{field}", self.path), reason, name, &names);
                }
                (_, None) => {
                    let reason = format!("`{}` does {count} of `{name}` to each element", self.layer.name);
                    self.complain(diagnostics, &field, reason, format!("Write at most {MAX_OPERATIONS}"));
                }
            }
        }
        if self.kind.needs_vector_unit() && operations.is_empty() {
            let reason = format!("`{}` does nothing to its elements", self.layer.name);
            self.complain(diagnostics, "operations", reason, "Write for example `operations: { exp: 1 }`".into());
        }
        operations
    }

    /// Shares of W, I and O that are not zero.
    fn density(&self) -> [f64; 3] {
        let (own, all) = (&self.layer.density, &self.spec.density);
        let i = own.i.or(all.i).unwrap_or(1.0);
        let w = match self.kind {
            // These are features.
            LayerKind::MatMul | LayerKind::Depthwise if self.producers.len() > 1 => own.w.unwrap_or(i),
            _ => own.w.or(all.w).unwrap_or(1.0),
        };
        [w, i, own.o.or(all.o).unwrap_or(1.0)]
    }

    /// Its loops as the document orders them, then the others.
    fn dim_order(&self) -> [Dim; 8] {
        let mut order = self.kind.dim_order();
        let place = |dim: &Dim| self.layer.loop_order.iter().position(|name| name == dim.name()).unwrap_or(usize::MAX);
        sort_few_by_key(&mut order, place);
        order
    }

    /// Columns and rows of the input that windows touch.
    fn touched(
        &self,
        input: (u64, u64),
        padding: Padding,
        (kernel, stride, dilation): ((u64, u64), (u64, u64), (u64, u64)),
        output: (u64, u64),
    ) -> (u64, u64) {
        if !matches!(self.kind, LayerKind::Conv | LayerKind::Depthwise | LayerKind::Pooling) {
            return input;
        }
        (
            touched_extent(input.0, padding.left, output.0, kernel.0, stride.0, dilation.0),
            touched_extent(input.1, padding.top, output.1, kernel.1, stride.1, dilation.1),
        )
    }

    /// Bits per element as memories hold them, and the savings by zeros.
    fn stored_precision(&self, diagnostics: &mut Diagnostics) -> (Precision, Option<Sparsity>) {
        let stated = self.precision(diagnostics);
        if !self.kind.reads_two_maps() || stated.w == 0 {
            return Sparsity::new(stated, self.density());
        }
        // Both are features.
        let of_map = |i: u64| Sparsity::new(Precision { w: 0, i, ..stated }, self.density());
        let ((second, _), (precision, sparsity)) = (of_map(stated.w), of_map(stated.i));
        (Precision { w: second.i, ..precision }, sparsity)
    }

    fn precision(&self, diagnostics: &mut Diagnostics) -> Precision {
        let (own, all) = (&self.layer.precision, &self.spec.precision);
        let o = own.o.or(all.o).unwrap_or(8);
        let i = own.i.or(all.i).unwrap_or(8);
        let precision = Precision {
            w: match self.kind {
                // The second map.
                kind if kind.reads_two_maps() => own.w.filter(|bits| *bits != i).unwrap_or(0),
                kind if kind.is_for_vector_unit() => 0,
                // These are features.
                LayerKind::MatMul | LayerKind::Depthwise if self.producers.len() > 1 => own.w.unwrap_or(i),
                _ => own.w.or(all.w).unwrap_or(8),
            },
            i,
            o_partial: own.o_partial.or(all.o_partial).unwrap_or(o.saturating_mul(2)),
            o,
        };
        for (operand, bits) in [("W", precision.w), ("I", precision.i), ("O_partial", precision.o_partial), ("O", o)] {
            if bits > 1024 || bits == 0 && operand != "W" {
                let reason = format!("{operand} of `{}` has {bits} bits per element", self.layer.name);
                self.complain(diagnostics, "precision", reason, "Write 1 to 1024".into());
            }
        }
        if precision.o_partial < precision.o {
            let reason = format!(
                "Partial sums of `{}` have {} bits, fewer than the {} of finished outputs",
                self.layer.name, precision.o_partial, precision.o
            );
            self.complain(diagnostics, "precision", reason, "Make O_partial at least O".into());
        }
        precision
    }

    fn check_products(&self, shape: &LayerShape, diagnostics: &mut Diagnostics) {
        let bits = shape.precision.i.max(shape.precision.w).max(shape.precision.o_partial).max(shape.precision.o);
        let bits = bits.max(shape.operations.each().map(|(_, count)| count).sum());
        let product = shape.sizes.iter().try_fold(bits, |all, size| all.checked_mul(*size));
        let input = self
            .spec
            .batch
            .checked_mul(shape.input_channels())
            .and_then(|all| all.checked_mul(shape.input_limit.0.saturating_add_signed(shape.untouched.0)))
            .and_then(|all| all.checked_mul(shape.input_limit.1.saturating_add_signed(shape.untouched.1)))
            .and_then(|all| all.checked_mul(bits));
        if product.is_none_or(|all| all > MAX_SIZE) || input.is_none_or(|all| all > MAX_SIZE) {
            diagnostics.add(
                &self.path,
                format!("`{}` is too large to count: its operations times bits exceed 2^50", self.layer.name),
                "Make its map, kernel, channels or the batch smaller",
            );
        }
    }
}
