import type { graphJobs } from '../answers/graph/graph-questions';
import type { codecJobs } from '../codec/codec-job';
import type { envoyAdminJobs } from '../collect/envoy-admin/serve-envoy-admin';
import type { diffJobs } from '../compute/diff/diff-jobs';
import type { validationJobs } from '../compute/validate/validation-job';
import type { checkJobs } from '../lab/server-checks/check-thread';
import type { convergenceJobs } from '../live/convergence/convergence-builder';
import type { loadJobs } from '../live/load/load-reader';
import type { searchJobs } from '../live/search/search-jobs';
import type { JobSet } from '../workers/compute';
import { type JobTable, type SteppedRunners, serveJobs } from '../workers/serve-jobs';

type AllSets =
  | typeof codecJobs
  | typeof graphJobs
  | typeof diffJobs
  | typeof convergenceJobs
  | typeof validationJobs
  | typeof searchJobs
  | typeof loadJobs
  | typeof envoyAdminJobs
  | typeof checkJobs;

type Loader<Set> =
  Set extends JobSet<string, infer Data, infer Jobs>
    ? Jobs extends JobTable<Jobs>
      ? () => Promise<(data: Data) => SteppedRunners<Jobs>>
      : never
    : never;

/** By its name, what opens each set of jobs. A thread loads the code of a set with its first job. */
const sets: { readonly [Set in AllSets as Set['name']]: Loader<Set> } = {
  codec: async () => (await import('../codec/codec-job')).serveCodec,
  graph: async () => (await import('../answers/graph/serve-graph')).serveGraph,
  diff: async () => (await import('../compute/diff/serve-diff')).serveDiff,
  convergence: async () => (await import('../live/convergence/serve-convergence')).serveConvergence,
  validation: async () => (await import('../compute/validate/serve-validation')).serveValidation,
  search: async () => (await import('../live/search/serve-search')).serveSearch,
  load: async () => (await import('../live/load/serve-load')).serveLoad,
  'envoy-admin': async () => (await import('../collect/envoy-admin/serve-envoy-admin')).serveEnvoyAdmin,
  checks: async () => (await import('../lab/server-checks/serve-checks')).serveChecks,
};

serveJobs(sets);
