import type { graphJobs } from '../answers/graph/graph-questions';
import type { codecJobs } from '../codec/codec-job';
import type { convergenceJobs } from '../convergence/convergence-builder';
import type { diffJobs } from '../diff/diff-jobs';
import type { envoyAdminJobs } from '../envoy-admin/serve-envoy-admin';
import type { loadJobs } from '../load/load-recorder';
import type { searchJobs } from '../search/search-jobs';
import type { checkJobs } from '../server-checks/check-thread';
import type { validationJobs } from '../validate/validation-job';
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
  diff: async () => (await import('../diff/serve-diff')).serveDiff,
  convergence: async () => (await import('../convergence/serve-convergence')).serveConvergence,
  validation: async () => (await import('../validate/serve-validation')).serveValidation,
  search: async () => (await import('../search/serve-search')).serveSearch,
  load: async () => (await import('../load/serve-load')).serveLoad,
  'envoy-admin': async () => (await import('../envoy-admin/serve-envoy-admin')).serveEnvoyAdmin,
  checks: async () => (await import('../server-checks/serve-checks')).serveChecks,
};

serveJobs(sets);
