import { byDescending } from '@/lib/collections/compare';
import type { ClientReport, ClientState } from '@/lib/observation/client-state';
import type { PropagationPlace } from '@/lib/sync/propagation-state';
import { chooseReport, type FreshnessOf } from '@/lib/views/client/choose-report';
import { takeSteps } from '../../workers/threads/take-steps';
import { countHeld } from './client-propagation';
import { findProbeReport, type ProbeReport, type ProbeReports } from './probe-report';
import type { VariantProbe } from './variant-pairs';

export interface PropagationInputs extends ProbeReports {
  readonly freshnessOf: FreshnessOf;
}

/** The client that is reported at a place, and the report. A probe reports itself. */
export interface PropagationReporter {
  readonly client: ClientState;
  readonly report: ClientReport;
}
export type PropagationReporters = Readonly<Record<PropagationPlace, PropagationReporter | undefined>>;

/** `whole` is the client in reports of control planes, which use its node without a scope (gRFC A71). */
export async function findReporters(
  inputs: PropagationInputs,
  { client, whole }: { readonly client: ClientState; readonly whole: ClientState },
  probes: readonly VariantProbe[],
): Promise<PropagationReporters> {
  const clientReport = chooseReport(client, 'client', inputs.freshnessOf);
  const controlPlaneReport = chooseReport(whole, 'control-plane', inputs.freshnessOf);
  return {
    ...(await findProbes(inputs, client, probes)),
    controlPlane: controlPlaneReport && { client: whole, report: controlPlaneReport },
    client: clientReport && { client, report: clientReport },
  };
}

/** Returns the probes of the server from which they hold most of the client's resources. */
async function findProbes(
  inputs: PropagationInputs,
  client: ClientState,
  probes: readonly VariantProbe[],
): Promise<Pick<PropagationReporters, 'sotw' | 'delta'>> {
  const byTarget = new Map<string, { sotw?: ProbeReport; delta?: ProbeReport; held: number }>();
  for (const { id, target, variant } of probes) {
    const probe = findProbeReport(inputs, id);
    if (probe === undefined) continue;
    const known = byTarget.get(target) ?? { held: 0 };
    byTarget.set(target, known);
    known[variant] ??= probe;
    known.held = Math.max(known.held, await takeSteps(countHeld(client, probe.report)));
  }
  const [best] = [...byTarget.values()].filter(({ held }) => held > 0).sort(byDescending(({ held }) => held));
  return { sotw: best?.sotw, delta: best?.delta };
}
