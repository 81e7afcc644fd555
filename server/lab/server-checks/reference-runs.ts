import type { CheckRunJson } from '@/lib/views/server-checks/schema';
import recorded from './reference-runs.json';

/**
 * The runs of the repository: the lab, go-control-plane and java-control-plane, as
 * `npm run test:peers -- probe --save-server-checks` wrote them last, and istiod and Envoy Gateway, which are only read, with
 * `--istio --envoy-gateway` instead of `probe`.
 */
export const referenceRuns = recorded as readonly CheckRunJson[];
