import { group, sum } from 'd3';
import { by } from '../../collections/compare';
import { formatCounted } from '../../format/count';
import type { SourceOutage } from '../../issues/source-outages';
import type { SourceKind } from '../../observation/source-kinds';
import type { Divergences } from '../propagation/schema';
import { sourceKindFacts } from '../sources/source-kind-facts';
import type { Issue } from './schema';

interface KnownOutage extends SourceOutage {
  readonly label: string;
  readonly sourceKind: SourceKind;
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
  // A tap does not observe clients for xdscope alone: they reach their management server through it.
  const groups = group(outages, ({ to, sourceKind }) => `${to === null} ${sourceKind === 'tap'}`);
  return [
    ...(recorderStopped === undefined ? [] : [buildRecorderIssue(recorderStopped, idOf)]),
    ...[...groups.values()].map((some) => buildOutageIssue(some, idOf)),
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

const sourcesListed = 5;

/** Sources are down together if a network or xdscope's own machine is the cause, and one after the other otherwise. */
function buildOutageIssue(outages: readonly KnownOutage[], idOf: OwnIssueFacts['idOf']): Issue {
  const sorted = outages.toSorted(by(({ from }) => from));
  const [first] = sorted;
  if (first === undefined) throw new Error('expected an outage');
  const { problem, sourceId, from, sourceKind } = first;
  const isOne = outages.length === 1;
  const isOpen = first.to === null;
  const clients = sum(outages, (each) => each.clients);
  const others = outages.length - sourcesListed;
  const isOneProblem = outages.every((each) => each.problem.code === problem.code);
  const common: Omit<Issue, 'id' | 'kind' | 'title' | 'impact' | 'nextStep'> = {
    ...base,
    state: isOpen ? 'open' : 'resolved',
    severity: 'warning',
    since: from,
    resolvedAt: isOpen ? undefined : Math.max(...outages.map(({ to }) => to ?? 0)),
    cause: [
      ...sorted.slice(0, sourcesListed).map((each) => ({
        step: 'report' as const,
        text: isOne ? problem.message : `${nameSource(each)}: ${reasonOf(each)}`,
        evidence: { kind: 'source' as const, sourceId: each.sourceId },
      })),
      ...(others > 0 ? [{ step: 'report' as const, text: formatCounted(others, 'more source') }] : []),
    ],
    evidence: [{ label: isOne ? 'Source' : 'Sources', target: { kind: 'source', sourceId } }],
  };
  const severalSteps = 'Open each source: it states why it does not answer, and what to do.';
  if (sourceKind === 'tap') {
    const who = isOne ? nameSource(first) : formatCounted(outages.length, 'tap');
    return {
      ...common,
      id: idOf('tap-down'),
      kind: 'unreachable',
      title: `${who} cannot connect to ${isOne ? 'its management server' : 'their management servers'}`,
      impact: {
        level: clients === 0 ? 'unknown' : 'frozen',
        text:
          clients === 0
            ? `Not known: no client has connected through ${who}`
            : `New config does not reach ${formatCounted(clients, 'client')} of ${who}`,
        reason: '',
        assessed: 0,
      },
      nextStep: isOneProblem
        ? problem.hint || 'Check whether the server listens on this address.'
        : severalSteps,
    };
  }
  const who = isOne ? nameSource(first) : formatCounted(outages.length, 'source');
  return {
    ...common,
    id: idOf('source-down'),
    kind: 'source-down',
    title: `${who} ${isOne ? 'does' : 'do'} not answer`,
    impact: {
      level: 'unknown',
      text:
        clients === 0
          ? `No client is observed through ${who}`
          : `What ${who} reported of ${formatCounted(clients, 'client')} may be out of date`,
      reason: '',
      assessed: 0,
    },
    nextStep: isOneProblem
      ? problem.hint || 'Check whether its target runs and can be reached.'
      : severalSteps,
  };
}

/** As in "CSDS source 127.0.0.1:50051", and "list of CSDS targets /targets.json". */
function nameSource({ sourceKind, label }: KnownOutage): string {
  const { form, summary } = sourceKindFacts(sourceKind);
  return `${form === undefined ? summary : `${form.label} source`} ${label}`;
}

/** The target is redundant beside its name. */
function reasonOf({ label, problem: { message } }: KnownOutage): string {
  return message.startsWith(`${label}: `) ? message.slice(label.length + 2) : message;
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
