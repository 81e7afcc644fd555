import { group } from 'd3';
import { by } from '../../collections/compare';
import { formatCounted } from '../../format/count';
import type { SourceOutage } from '../../issues/source-outages';
import type { Divergences } from '../propagation/schema';
import type { Issue } from './schema';

interface KnownOutage extends SourceOutage {
  readonly label: string;
  /** The kind of the source, as in "csds". */
  readonly sourceKind: string;
  /** The number of clients that it reported. */
  readonly clients: number;
}

interface OwnIssueFacts {
  readonly outages: readonly KnownOutage[];
  readonly divergences: Divergences;
  /** The reason why nothing is recorded; undefined while it is. */
  readonly recorderStopped: string | undefined;
  /** Derives an id from a key. */
  readonly idOf: (key: string) => string;
}

const base = {
  state: 'open',
  resource: undefined,
  mutedUntil: undefined,
  clients: { total: 0, probes: 0, items: [] },
  requests: undefined,
} as const satisfies Partial<Issue>;

/** Builds the issues of the sources and the recorder, and of servers whose two variants differ. */
export function buildOwnIssues({ outages, divergences, recorderStopped, idOf }: OwnIssueFacts): Issue[] {
  const down = group(outages, ({ sourceKind, problem, to }) =>
    JSON.stringify(['source-down', sourceKind, problem.code, to === null]),
  );
  return [
    ...(recorderStopped === undefined ? [] : [buildRecorderIssue(recorderStopped, idOf)]),
    ...[...down.values()].map((some) => buildOutageIssue(some, idOf)),
    ...divergences.pairs.flatMap(({ target }) => buildDivergence(target, divergences, idOf)),
  ];
}

function buildRecorderIssue(reason: string, idOf: OwnIssueFacts['idOf']): Issue {
  return {
    ...base,
    id: idOf('recorder'),
    kind: 'recorder',
    severity: 'major',
    title: 'Recording has stopped',
    since: undefined,
    resolvedAt: undefined,
    impact: { level: 'none', text: 'What happens now is not recorded', reason, assessed: 0 },
    cause: [{ step: 'report', text: reason, evidence: { kind: 'recorder' } }],
    nextStep: 'Make room on the disk, or restart xdscope with another data directory.',
    evidence: [{ label: 'Recorder', target: { kind: 'recorder' } }],
  };
}

function buildOutageIssue(outages: readonly KnownOutage[], idOf: OwnIssueFacts['idOf']): Issue {
  const [first] = [...outages].sort(by(({ from }) => from));
  if (first === undefined) throw new Error('expected an outage');
  const { sourceKind, problem, label, sourceId, from } = first;
  const clients = outages.reduce((sum, each) => sum + each.clients, 0);
  const isOpen = outages.some(({ to }) => to === null);
  const who = outages.length === 1 ? label : formatCounted(outages.length, `${sourceKind} source`);
  const evidence = { kind: 'source', sourceId } as const;
  const common: Omit<Issue, 'kind' | 'title' | 'impact' | 'nextStep'> = {
    ...base,
    id: idOf(JSON.stringify(['source-down', sourceKind, problem.code])),
    state: isOpen ? 'open' : 'resolved',
    severity: 'warning',
    since: from,
    resolvedAt: isOpen ? undefined : Math.max(...outages.map(({ to }) => to ?? 0)),
    cause: [{ step: 'report', text: problem.message, evidence }],
    evidence: [{ label: outages.length === 1 ? 'Source' : 'Sources', target: evidence }],
  };
  if (sourceKind === 'tap') {
    return {
      ...common,
      kind: 'unreachable',
      title: `${who} cannot connect to ${outages.length === 1 ? 'its management server' : 'their management servers'}`,
      impact: {
        level: clients === 0 ? 'unknown' : 'frozen',
        text:
          clients === 0
            ? `Not known: no client has connected through ${who}`
            : `New config does not reach ${formatCounted(clients, 'client')} of ${who}`,
        reason: '',
        assessed: 0,
      },
      nextStep: problem.hint || 'Check whether the server listens on this address.',
    };
  }
  return {
    ...common,
    kind: 'source-down',
    title: `${who} ${outages.length === 1 ? 'does' : 'do'} not answer`,
    impact: {
      level: 'unknown',
      text:
        clients === 0
          ? `Nothing is observed by ${who}`
          : `What ${who} reported of ${formatCounted(clients, 'client')} may be out of date`,
      reason: problem.message,
      assessed: 0,
    },
    nextStep: problem.hint || 'Check whether its target runs and can be reached.',
  };
}

function buildDivergence(target: string, { items }: Divergences, idOf: OwnIssueFacts['idOf']): Issue[] {
  const own = items.filter((item) => item.target === target);
  const [first] = [...own].sort(by(({ since }) => since));
  if (first === undefined) return [];
  const evidence = { kind: 'propagation', clientId: first.delta.clientId } as const;
  return [
    {
      ...base,
      id: idOf(JSON.stringify(['divergence', target])),
      kind: 'divergence',
      severity: 'warning',
      title: `${target} sends different resources over state of the world and over delta (sotw-delta-divergence)`,
      since: first.since,
      resolvedAt: undefined,
      impact: {
        level: 'unknown',
        text: `Not known: clients of ${target} run different config depending on their transport`,
        reason: '',
        assessed: 0,
      },
      cause: own.slice(0, 3).map(({ service, name, text }) => ({
        step: 'resource',
        text: `${service} ${name}: ${text}`,
        evidence,
      })),
      nextStep:
        'Compare both variants in Propagation, and report the difference to the authors of the management server.',
      evidence: [{ label: 'Propagation', target: evidence }],
    },
  ];
}
