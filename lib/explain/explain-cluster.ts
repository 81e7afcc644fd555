import type { FieldReader } from '../model/field-reader';
import { type ClusterEntry, errorOfCluster, statusOfCluster } from '../resolve/xds-config';
import { CDS } from '../xds/resource-type';
import { findPossibleEndpoints } from './possible-endpoints';
import type { ClusterTarget } from './route-action';
import type { Branch, Step } from './trace';
import { resourceOf, type TraceBuilder } from './trace-builder';

export function explainCluster(
  trace: TraceBuilder,
  target: ClusterTarget,
  action: FieldReader | undefined,
): Branch[] {
  const { cluster, when, percent } = target;
  trace.reached = { ...trace.reached, cluster };
  const share = percent === undefined ? {} : { percent };
  const with_ = (branch: Branch): Branch => ({ ...branch, when, ...share });
  const entry = trace.config.findCluster(cluster);
  const title = `cluster ${cluster}`;
  const config = entry.config?.ok === true ? entry.config.value : undefined;
  const resource = resourceOf(config?.resource) ?? { typeUrl: CDS.typeUrl, name: cluster };
  const step = { stage: 'cluster', title, resource, path: '' } as const;
  const status = statusOfCluster(entry);
  if (status === 'error') return [with_(failCluster(trace, entry, step, action))];
  const how = target.when === '' ? '' : `${target.when}`;
  if (status !== 'ok') {
    const reason =
      entry.missing[0]?.text ?? config?.notModelled ?? 'it is not known whether the client runs it';
    trace.add({ ...step, verdict: 'unknown', reason });
    if (config === undefined) return [with_(trace.unknown(`${title}: ${reason}`))];
  } else trace.add({ ...step, verdict: percent === undefined ? 'taken' : 'depends', reason: how });
  const { endpoints, notes } = findPossibleEndpoints(cluster, trace.profile, {
    findCluster: trace.config.findCluster,
  });
  if (status !== 'ok') return [with_(trace.unknown(`${title}: ${trace.steps.at(-1)?.reason ?? ''}`))];
  const only = endpoints.length === 1 ? endpoints[0] : undefined;
  trace.add({
    ...{ stage: 'endpoints', resource, path: '' },
    title: only === undefined ? `${endpoints.length} endpoints` : `endpoint ${only.address}`,
    verdict: endpoints.length === 0 ? 'unknown' : only === undefined ? 'depends' : 'taken',
    reason: [
      ...(endpoints.length > 1 ? ['the LB policy of the cluster chooses one of them'] : []),
      ...notes,
    ].join('; '),
  });
  return [
    with_({
      ...{ kind: 'forwarded', when: '', ...trace.reached, endpoints },
      text: `forwarded to cluster ${cluster}`,
    }),
  ];
}

function failCluster(
  trace: TraceBuilder,
  entry: ClusterEntry,
  step: Pick<Step, 'stage' | 'title' | 'resource' | 'path'>,
  action: FieldReader | undefined,
): Branch {
  const reason = errorOfCluster(entry);
  const isAbsent = entry.config?.ok === false && entry.config.why === 'absent';
  trace.add({ ...step, verdict: 'not-taken', reason });
  if (!trace.isEnvoy) return trace.failed(reason, { grpcCode: 'UNAVAILABLE' });
  if (!isAbsent) return trace.failed(reason, { status: 503, flag: flagOf(entry) });
  const code = action?.enumName('clusterNotFoundResponseCode', 'SERVICE_UNAVAILABLE');
  const status = { NOT_FOUND: 404, INTERNAL_SERVER_ERROR: 500 }[code ?? ''] ?? 503;
  return trace.failed(reason, { status, flag: 'NC' });
}

/** UH: no healthy upstream host. */
function flagOf({ config }: ClusterEntry): string {
  const children = config?.ok === true ? config.value.children : undefined;
  const isEmpty = (children?.kind === 'endpoints' || children?.kind === 'dns') && children.use.usable === 0;
  return isEmpty ? 'UH' : 'UF';
}
