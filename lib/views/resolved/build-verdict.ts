import { formatCounted } from '../../format/count';
import type { ResourceKey } from '../../observation/resource-state';
import { clientOf } from '../../xds/profile';
import type { ClientStatus } from '../../xds/status';
import type { MissingItem, Resolved } from './schema';

export interface VerdictStep {
  readonly noun: string;
  readonly name: string;
  /** Absent if it is inline in the step before. */
  readonly resource?: ResourceKey | undefined;
}

interface Verdict {
  /** The status whose shape and color it has. */
  readonly shape: Extract<ClientStatus, 'NACKED' | 'TIMEOUT' | 'UNKNOWN'> | 'HEALTHY' | 'DEGRADED';
  readonly word:
    | 'Resolved'
    | 'Would resolve'
    | 'Waits'
    | 'Would wait'
    | 'Not known'
    | 'Error'
    | 'Would fail'
    | 'Nothing to resolve';
  readonly steps: readonly VerdictStep[];
  /** The text after the steps. */
  readonly text: string;
  /** The effect on RPCs; empty if there is none. */
  readonly effect: string;
}

/** The largest number of named resources. */
const maxNamed = 3;

/** The measured state of the channel outranks what follows from the config. */
export function buildVerdict(resolved: Resolved): Verdict {
  const { channelFailure, noClient } = resolved;
  const verdict = noClient === undefined ? verdictOfConfig(resolved) : withoutClient(resolved, noClient);
  if (channelFailure === undefined || verdict.shape === 'NACKED') return verdict;
  const effect = `${channelFailure.charAt(0).toUpperCase()}${channelFailure.slice(1)}`;
  return { ...verdict, shape: 'NACKED', effect };
}

const wouldBe: Partial<Record<Verdict['word'], Verdict['word']>> = {
  Resolved: 'Would resolve',
  Waits: 'Would wait',
  Error: 'Would fail',
};

/** What the config would do if a client ran it. */
function withoutClient(resolved: Resolved, noClient: string): Verdict {
  const verdict = verdictOfConfig(resolved);
  const word = wouldBe[verdict.word];
  if (word === undefined) return verdict;
  const { steps, text, shape } = verdict;
  const effect = `${noClient.charAt(0).toUpperCase()}${noClient.slice(1)}.`;
  return { ...{ word, steps, text, effect }, shape: shape === 'HEALTHY' ? 'UNKNOWN' : shape };
}

function verdictOfConfig(resolved: Resolved): Verdict {
  switch (resolved.status) {
    case 'resolved':
      return whenResolved(resolved);
    case 'waiting':
      return {
        shape: 'TIMEOUT',
        word: 'Waits',
        steps: [],
        text: `for ${formatCounted(resolved.missingTotal, 'resource')}: ${formatMissing(resolved)}`,
        effect: whatWaitingMeans(resolved),
      };
    case 'unknown':
      return {
        shape: 'UNKNOWN',
        word: 'Not known',
        steps: stepsOf(resolved),
        text: 'whether the client runs this config',
        effect: [...resolved.doubts, ...resolved.missing.map(describeMissing)].slice(0, maxNamed).join(' '),
      };
    case 'error':
      return {
        shape: 'NACKED',
        word: 'Error',
        steps: [],
        text: resolved.error,
        effect: resolved.start?.kind === 'server' ? '' : whatErrorMeans(resolved),
      };
    case 'nothing':
      return {
        shape: 'UNKNOWN',
        word: 'Nothing to resolve',
        steps: [],
        text: 'the client holds no listener',
        effect: '',
      };
  }
}

/** A filter ends RPCs with a status of its own. */
function whatErrorMeans({ chains, profile }: Resolved): string {
  // The error states what an Envoy does: it answers with a status, or has no such listener.
  if (clientOf(profile) === 'envoy') return '';
  const isDenied = chains.some(({ httpFilters }) => httpFilters.some(({ denied }) => denied !== ''));
  return isDenied ? 'RPCs fail.' : 'RPCs fail with UNAVAILABLE.';
}

function whenResolved(resolved: Resolved): Verdict {
  const { ok, error, waiting, unknown } = resolved.clusters.byStatus;
  const total = ok + error + waiting + unknown;
  const clusters = formatCounted(total, 'cluster');
  const of = (count: number): string => (total === 1 ? '' : `${count} of them `);
  const fails = error === 0 ? '' : `, ${of(error) || 'which '}${error === 1 ? 'fails' : 'fail'}`;
  const isUnknown = unknown === 0 ? '' : `, ${of(unknown)}not known to serve requests`;
  return {
    shape: error > 0 ? 'DEGRADED' : unknown > 0 ? 'UNKNOWN' : 'HEALTHY',
    word: 'Resolved',
    steps: stepsOf(resolved),
    text: `${clusters}${fails}${isUnknown}`,
    effect: error === 0 ? '' : whatFailingMeans(resolved),
  };
}

function whatFailingMeans({ profile, chains, clusters: { byStatus } }: Resolved): string {
  const others =
    byStatus.ok + byStatus.waiting + byStatus.unknown > 0 ? '; other clusters are not affected' : '';
  if (clientOf(profile) !== 'envoy') return `RPCs to a cluster that fails end with UNAVAILABLE${others}.`;
  const proxiesTcp = chains.some(({ tcpClusters }) => tcpClusters.length > 0);
  const hasRoutes = chains.some(({ routeConfigs }) => routeConfigs.length > 0);
  const requests = 'Requests to a cluster that fails are answered with an error';
  if (!proxiesTcp) return `${requests}${others}.`;
  if (!hasRoutes && others === '') return 'Every connection is closed.';
  if (!hasRoutes) return `Connections that are proxied to a cluster that fails are closed${others}.`;
  return `${requests}, and connections that are proxied to it are closed${others}.`;
}

function stepsOf({ start, listener, chains }: Resolved): VerdictStep[] {
  if (start === undefined) return [];
  const steps: VerdictStep[] = [{ noun: 'listener', name: start.listener, resource: listener }];
  const [chain, ...otherChains] = chains;
  if (chain === undefined) return steps;
  if (otherChains.length > 0) return [...steps, counted('filter chain', chains.length)];
  const [config, ...otherConfigs] = chain.routeConfigs;
  if (config === undefined) return steps;
  if (otherConfigs.length > 0) steps.push(counted('route configuration', chain.routeConfigs.length));
  else {
    const isInline = config.resource === undefined;
    const noun = isInline ? 'inline routes' : 'route configuration';
    steps.push({ noun, name: config.name, resource: config.resource });
  }
  const [host, ...otherHosts] = chain.virtualHosts;
  if (host === undefined) return steps;
  if (otherHosts.length > 0) return [...steps, counted('virtual host', chain.virtualHostsTotal)];
  return [...steps, { noun: 'virtual host', name: host.host, resource: host }];
}

/** "3 filter chains" */
function counted(noun: string, count: number): VerdictStep {
  return { noun: formatCounted(count, noun), name: '' };
}

function describeMissing({ service, name, text }: MissingItem): string {
  return `${service} ${name}: ${text}.`;
}

function formatMissing({ missing, missingTotal }: Resolved): string {
  const named = missing.slice(0, maxNamed).map(({ service, name }: MissingItem) => `${service} ${name}`);
  const rest = missingTotal - named.length;
  return rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(', ');
}

function whatWaitingMeans({ profile, start }: Resolved): string {
  if (clientOf(profile) === 'envoy')
    return 'Envoy warms: a previous config, if there is one, stays in use until all resources are received.';
  if (start?.kind === 'server')
    return 'The server keeps its previous config, if it has one, until all resources are received.';
  return 'Until they are received, RPCs wait, or use a previous config if there is one (gRFC A74).';
}
