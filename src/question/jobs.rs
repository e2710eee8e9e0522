//! Tasks of jobs: how workers take part in work that is cut into tasks ([`fusescape_engine::job`]).

use super::last_value_cache::LastValueCache;
use super::{Query, QueryEngine, Reply};
use fusescape_engine::explore::study::{DesignBatch, DesignSampler, StudyRequest};
use fusescape_engine::explore::{Request, StackLimits, StackSearch, StackTask};
use fusescape_engine::hierarchy::{Exploration, HierarchyRequest, HierarchyTask};
use fusescape_engine::job::{Job, RemoteJob};
use fusescape_engine::multicore::{
    CoresImprovement, CoresRequest, CoresSearch, CoresTask, ImprovementStep, TileSearch, TileTask,
};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Time slice of a worker, milliseconds, after which it reports, so that it soon hears of other work.
const MOMENT_MS: f64 = 30.0;

/// A job whose tasks are questions to workers.
pub trait QuestionJob: RemoteJob<Request: PartialEq> + 'static {
    /// A task, as a question.
    type Question: Query<Reply = Self::Done>;

    /// The question about a task.
    fn question(request: Rc<Self::Request>, task: Self::Task) -> Self::Question;
}

/// The last bench of a job.
pub(super) type Bench<J> = LastValueCache<Rc<<J as RemoteJob>::Request>, <J as Job>::Bench>;

macro_rules! jobs {
    ($($question:ident: $job:ty, $request:ty, $task:ty, $bench:ident;)*) => {
        $(
            /// What is the result of a task of the job?
            #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
            pub struct $question {
                pub request: Rc<$request>,
                pub task: $task,
            }

            impl QuestionJob for $job {
                type Question = $question;

                fn question(request: Rc<$request>, task: $task) -> $question {
                    $question { request, task }
                }
            }

            impl Query for $question {
                type Reply = <$job as Job>::Done;

                fn answer(self, engine: &mut QueryEngine) -> Reply<Self::Reply> {
                    let clock = engine.clock;
                    let bench = engine.$bench.of_after(self.request, |request, before| <$job>::open(request, before))?;
                    let begun = clock.map(|now| now());
                    let mut has_time = || clock.zip(begun).is_none_or(|(now, begun)| now() - begun < MOMENT_MS);
                    Ok(<$job>::run(bench, &self.task, &mut has_time)?)
                }
            }
        )*
    };
}

jobs! {
    RunHierarchies: Exploration, HierarchyRequest, HierarchyTask, hierarchies;
    RunDesigns: DesignSampler, StudyRequest, DesignBatch, designs;
    RunStacks: StackSearch, (Rc<Request>, StackLimits), StackTask, stacks;
    RunTiles: TileSearch, CoresRequest, TileTask, tiles;
    RunCores: CoresSearch, CoresRequest, CoresTask, cores;
    RunImprovement: CoresImprovement, CoresRequest, ImprovementStep, cores;
}
