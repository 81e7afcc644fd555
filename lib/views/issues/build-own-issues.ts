import { group, sum } from 'd3';
import { by, inTurn } from '../../collections/compare';
import type { ControlPlaneReport } from '../../control-planes/control-plane-fold';
import type { InstanceDifference } from '../../control-planes/instance-comparison';
import { formatCounted } from '../../format/count';
import type { SourceOutage } from '../../issues/source-outages';
import type { SourceKind } from '../../observation/source-kinds';
import { sourceKindFacts } from '../../observation/source-kinds';
import type { EpochMs } from '../../xds/units';
import { describeDifference } from '../control-planes/describe-difference';
import type { Divergences } from '../propagation/schema';
import type { Issue, MutableIssue } from './schema';

interface KnownOutage extends SourceOutage {
  readonly label: string;
  readonly sourceKind: SourceKind;
  /** The number of clients that it reported. */
  readonly clients: number;
  /** Set for a tap that listens: the id of the issue that its management server is unreachable, which its clients may have, too. */
  readonly ofServer: string | undefined;
}

interface OwnIssueFacts {
  readonly outages: readonly KnownOutage[];
  readonly divergences: Divergences;
  readonly controlPlanes: readonly Pick<ControlPlaneReport, 'server' | 'lastSpinAt' | 'fastestSpin'>[];
  readonly at: EpochMs;
  /** Differences between instances of control planes; those that have ended are left out. */
  readonly differences: readonly InstanceDifference[];
  /** The reason why nothing is recorded; undefined while it is. */
  readonly recorderStopped: string | undefined;
  /** Derives an id from a key. */
  readonly idOf: (key: string) => string;
}

const base = {
  state: 'open',
  resource: undefined,
  mutedUntil: undefined,
  clients: { total: 0, probes: 0, imported: 0, items: [] },
  requests: undefined,
  group: undefined,
} as const satisfies Partial<Issue>;

/** Builds the issues of the sources and the recorder, and of servers whose two variants differ. */
export function buildOwnIssues({
  outages,
  divergences,
  differences,
  controlPlanes,
  at,
  recorderStopped,
  idOf,
}: OwnIssueFacts): MutableIssue[] {
  // A tap does not observe clients for xdscope alone: they reach their management server through it.
  const groups = group(outages, ({ to, sourceKind, ofServer }) =>
    JSON.stringify([to === null, sourceKind === 'tap', ofServer]),
  );
  return [
    ...(recorderStopped === undefined ? [] : [buildRecorderIssue(recorderStopped, idOf)]).map(ofItself),
    ...[...groups.values()].map((some) => ({
      issue: buildOutageIssue(some, idOf),
      subjects: some.map(({ sourceId }) => `outage ${sourceId}`),
    })),
    ...divergences.pairs.flatMap(({ target }) => buildDivergence(target, divergences, idOf)).map(ofItself),
    ...buildDifferences(differences, idOf).map(ofItself),
    ...controlPlanes.flatMap((each) => buildSpin(each, at, idOf)).map(ofItself),
  ];
}

function ofItself(issue: Issue): MutableIssue {
  return { issue, subjects: [issue.id] };
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

/**
 * Sources are down together if a network or xdscope's own machine is the cause, and one after the other otherwise. The id is that
 * of the source that has not answered longest, which one that joins later does not change.
 */
function buildOutageIssue(outages: readonly KnownOutage[], idOf: OwnIssueFacts['idOf']): Issue {
  const sorted = outages.toSorted(
    inTurn(
      by(({ from }) => from),
      by(({ sourceId }) => sourceId),
    ),
  );
  const [first] = sorted;
  if (first === undefined) throw new Error('expected an outage');
  const { problem, sourceId, from, sourceKind } = first;
  const isOne = outages.length === 1;
  const isOpen = first.to === null;
  const named = `${nameSource(first)}${isOne ? '' : ' and others'}`;
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
    group: isOne ? undefined : { noun: sourceKind === 'tap' ? 'tap' : 'source', count: outages.length },
    evidence: [{ label: isOne ? 'Source' : 'Sources', target: { kind: 'source', sourceId } }],
  };
  const severalSteps = 'Open each source: it states why it does not answer, and what to do.';
  if (sourceKind === 'tap') {
    const { ofServer } = first;
    const listens = ofServer !== undefined;
    const who = isOne ? nameSource(first) : formatCounted(outages.length, 'tap');
    return {
      ...common,
      id: ofServer ?? idOf(JSON.stringify(['tap-down', sourceId])),
      kind: 'unreachable',
      title: listens
        ? `${named} cannot connect to ${isOne ? 'its' : 'their'} management server`
        : `${named} ${isOne ? 'does' : 'do'} not listen`,
      impact: {
        level: clients === 0 || listens ? 'unknown' : 'frozen',
        text:
          clients === 0
            ? `Not known: no client has connected through ${who}`
            : listens
              ? `Not known: no client was connected through ${who} when it began`
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
    id: idOf(JSON.stringify(['source-down', sourceId])),
    kind: 'source-down',
    title: `${named} ${isOne ? 'does' : 'do'} not answer`,
    impact: {
      level: 'unknown',
      text:
        clients === 0
          ? `No client is observed through ${who}`
          : `What ${who} reported of ${formatCounted(clients, 'client')} may be out of date`,
      reason: '',
      assessed: 0,
    },
    nextStep: !isOneProblem
      ? severalSteps
      : isOne || problem.hint === ''
        ? problem.hint || 'Check whether its target runs and can be reached.'
        : `For each source: ${problem.hint}`,
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

/** Two instances that send equal nodes different config: which one a client has depends on where it is connected. */
function buildDifferences(differences: readonly InstanceDifference[], idOf: OwnIssueFacts['idOf']): Issue[] {
  const lasting = differences.filter(({ kind, until }) => kind === 'resources' && until === undefined);
  return [...group(lasting, ({ servers }) => servers.join(' and '))].map(([servers, own]) => {
    const nodes = new Set(own.map(({ nodeId }) => nodeId));
    return {
      ...base,
      id: idOf(JSON.stringify(['instances', servers])),
      kind: 'divergence',
      severity: 'warning',
      title: `${servers} send different resources to ${nodes.size === 1 ? `the node ${own[0]?.nodeId}` : formatCounted(nodes.size, 'node')}`,
      since: Math.min(...own.map(({ since }) => since)),
      resolvedAt: undefined,
      impact: {
        level: 'unknown',
        text: 'Not known: what a client runs depends on the instance to which it is connected',
        reason: '',
        assessed: 0,
      },
      cause: own.slice(0, 3).map((difference) => ({
        step: 'resource',
        text: describeDifference(difference),
      })),
      nextStep:
        'Compare the instances under Interop, Servers. If both are right, compare what they read from.',
      evidence: [],
    };
  });
}

/** A spin counts as open for so long after its newest response. */
const spinOpenMs = 60 * 60_000;

function buildSpin(
  { server, lastSpinAt, fastestSpin }: OwnIssueFacts['controlPlanes'][number],
  at: EpochMs,
  idOf: OwnIssueFacts['idOf'],
): Issue[] {
  if (lastSpinAt === undefined || at - lastSpinAt > spinOpenMs) return [];
  return [
    {
      ...base,
      id: idOf(JSON.stringify(['spin', server])),
      kind: 'spin',
      severity: 'warning',
      title: `${server} repeats a response that has not changed`,
      since: undefined,
      resolvedAt: undefined,
      impact: {
        level: 'none',
        text: 'Work for nothing, at the server and at its clients',
        reason: '',
        assessed: 0,
      },
      cause: [
        {
          step: 'report',
          text: `Up to ${formatCounted(fastestSpin, 'response')} in a row on one stream, without a change and without a request for them`,
        },
      ],
      nextStep:
        'Open Interop, Servers: check S5 shows whether the server answers each NACK with the same payload. Correct what clients reject.',
      evidence: [],
    },
  ];
}
