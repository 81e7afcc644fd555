import type { FieldReader } from '../model/field-reader';
import { isInRange } from '../requests/input-matchers';
import { type ExplainRequest, hostOf } from '../requests/request';

/** Why a filter chain does not get the connection; undefined for the one that does. */
export interface ConsideredChain {
  readonly reason: string;
  /** The field of the filter chain; empty if the reason is not in the chain. */
  readonly path: string;
}

export type ChainChoice =
  | { readonly kind: 'chosen'; readonly index: number; readonly others: ReadonlyMap<number, ConsideredChain> }
  | { readonly kind: 'none'; readonly others: ReadonlyMap<number, ConsideredChain> }
  /** Several chains remain, of which something decides that is not known. */
  | {
      readonly kind: 'depends';
      readonly among: readonly number[];
      readonly reason: string;
      readonly others: ReadonlyMap<number, ConsideredChain>;
    };

/** How specifically a chain matches one property of the connection: more is more specific. */
type Fit =
  | { readonly kind: 'fits'; readonly rank: number }
  | { readonly kind: 'fails'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly what: string };

interface Criterion {
  readonly field: string;
  readonly words: string;
  readonly measure: (match: FieldReader | undefined) => Fit;
}

const anyValue: Fit = { kind: 'fits', rank: 0 };

/**
 * Envoy: "for criteria that allow ranges or wildcards, the most specific value in any of the configured filter chains
 * that matches the incoming connection is going to be used". Each criterion in turn removes the chains that match
 * less specifically, without a way back.
 */
export function chooseFilterChain(
  chains: readonly FieldReader[],
  listenerAddress: ListenerAddress,
  request: ExplainRequest,
): ChainChoice {
  const others = new Map<number, ConsideredChain>();
  let left = chains.map((chain, index) => ({ index, match: chain.object('filterChainMatch') }));
  let doubt: { readonly what: string } | undefined;
  for (const { field, words, measure } of criteriaOf(listenerAddress, request)) {
    const fits = left.map((each) => ({ ...each, fit: measure(each.match) }));
    const unknown = fits.find((each) => each.fit.kind === 'unknown');
    if (unknown?.fit.kind === 'unknown') {
      // Chains that do not mention the property remain beside those that do.
      doubt ??= { what: unknown.fit.what };
      continue;
    }
    const ranks = fits.map((each) => (each.fit.kind === 'fits' ? each.fit.rank : -1));
    const best = Math.max(-1, ...ranks);
    for (const each of fits) {
      const path = `filterChainMatch.${field}`;
      if (each.fit.kind === 'fails') others.set(each.index, { reason: each.fit.reason, path });
      else if (each.fit.kind === 'fits' && each.fit.rank < best)
        others.set(each.index, {
          reason: `another filter chain matches the ${words} more specifically`,
          path,
        });
    }
    left = fits.filter((each) => each.fit.kind === 'fits' && each.fit.rank === best);
  }
  const [first] = left;
  if (first === undefined) return { kind: 'none', others };
  if (doubt !== undefined && left.length >= 1)
    return {
      kind: 'depends',
      among: left.map(({ index }) => index),
      reason: `it depends on ${doubt.what}`,
      others,
    };
  for (const { index } of left.slice(1))
    others.set(index, { reason: 'an earlier filter chain has the same match', path: 'filterChainMatch' });
  return { kind: 'chosen', index: first.index, others };
}

interface ListenerAddress {
  readonly address: string;
  readonly port: number | undefined;
  /** A listener filter reads the protocol of connections without TLS, which a request does not state. */
  readonly inspectsHttp?: boolean;
}

/** What is known of the connection of a request. */
export function connectionOf(
  { address, port: listenerPort, inspectsHttp = false }: ListenerAddress,
  { scheme, authority, connection = {} }: ExplainRequest,
) {
  const { isTls = scheme === 'https' } = connection;
  const isAnyAddress = address === '' || address === '0.0.0.0' || address === '::';
  const { sourceAddress, sourcePort } = connection;
  return {
    port: connection.destinationPort ?? listenerPort,
    destination: connection.destinationAddress ?? (isAnyAddress ? undefined : address),
    serverName: (isTls ? (connection.serverName ?? hostOf(authority)) : '').toLowerCase(),
    // The protocol of a connection without TLS is read by a listener filter alone.
    protocols: isTls || inspectsHttp ? connection.applicationProtocols : [],
    ...{ sourceAddress, sourcePort },
    transport: isTls ? 'tls' : 'raw_buffer',
  };
}

function criteriaOf(listener: ListenerAddress, request: ExplainRequest): Criterion[] {
  const { port, destination, serverName, protocols, sourceAddress, sourcePort, transport } = connectionOf(
    listener,
    request,
  );
  return [
    {
      field: 'destinationPort',
      words: 'destination port',
      measure: (match) => {
        const wanted = match?.number('destinationPort') ?? 0;
        if (wanted === 0) return anyValue;
        if (port === undefined) return { kind: 'unknown', what: 'the destination port' };
        return wanted === port
          ? { kind: 'fits', rank: 1 }
          : { kind: 'fails', reason: `the destination port is ${port}, and must be ${wanted}` };
      },
    },
    rangeCriterion('prefixRanges', 'destination address', destination),
    {
      field: 'serverNames',
      words: 'server name',
      measure: (match) => fitServerName(match?.strings('serverNames') ?? [], serverName),
    },
    {
      field: 'transportProtocol',
      words: 'transport protocol',
      measure: (match) => {
        const wanted = match?.string('transportProtocol') ?? '';
        if (wanted === '') return anyValue;
        return wanted === transport
          ? { kind: 'fits', rank: 1 }
          : { kind: 'fails', reason: `the transport protocol is ${transport}, and must be ${wanted}` };
      },
    },
    {
      field: 'applicationProtocols',
      words: 'application protocol',
      measure: (match) => {
        const wanted = match?.strings('applicationProtocols') ?? [];
        if (wanted.length === 0) return anyValue;
        if (protocols === undefined)
          return { kind: 'unknown', what: 'the application protocol of the caller' };
        // The protocol that the caller prefers decides.
        const at = protocols.findIndex((each) => wanted.includes(each));
        const offered = protocols.length === 0 ? 'no application protocol' : protocols.join(', ');
        return at < 0
          ? { kind: 'fails', reason: `the caller offers ${offered}, and must offer ${wanted.join(' or ')}` }
          : { kind: 'fits', rank: 1 + protocols.length - at };
      },
    },
    rangeCriterion('directSourcePrefixRanges', 'address of the direct peer', sourceAddress),
    {
      field: 'sourceType',
      words: 'source type',
      measure: (match) =>
        fitSourceType(match?.enumName('sourceType', 'ANY') ?? 'ANY', sourceAddress, destination),
    },
    rangeCriterion('sourcePrefixRanges', 'source address', sourceAddress),
    {
      field: 'sourcePorts',
      words: 'source port',
      measure: (match) => {
        const wanted = (match?.json.sourcePorts as readonly unknown[] | undefined)?.map(Number) ?? [];
        if (wanted.length === 0) return anyValue;
        if (sourcePort === undefined) return { kind: 'unknown', what: 'the source port' };
        return wanted.includes(sourcePort)
          ? { kind: 'fits', rank: 1 }
          : { kind: 'fails', reason: `the source port is ${sourcePort}, and must be ${wanted.join(' or ')}` };
      },
    },
  ];
}

function rangeCriterion(field: string, words: string, address: string | undefined): Criterion {
  return {
    field,
    words,
    measure: (match) => {
      const ranges = match?.objects(field) ?? [];
      if (ranges.length === 0) return anyValue;
      if (address === undefined) return { kind: 'unknown', what: `the ${words}` };
      let rank = 0;
      for (const range of ranges)
        if (isInRange(range, address)) rank = Math.max(rank, 1 + (range.number('prefixLen') ?? 0));
      const texts = ranges.map(
        (range) => `${range.string('addressPrefix')}/${range.number('prefixLen') ?? 0}`,
      );
      return rank > 0
        ? { kind: 'fits', rank }
        : { kind: 'fails', reason: `the ${words} is ${address}, and must be in ${texts.join(' or ')}` };
    },
  };
}

/** "www.example.com, then *.example.com, then *.com, then any filter chain without server_names requirements". */
function fitServerName(wanted: readonly string[], serverName: string): Fit {
  if (wanted.length === 0) return anyValue;
  let rank = 0;
  for (const each of wanted.map((name) => name.toLowerCase())) {
    if (each === serverName && serverName !== '') rank = Number.POSITIVE_INFINITY;
    else if (each.startsWith('*.') && serverName.endsWith(each.slice(1)) && serverName.length >= each.length)
      rank = Math.max(rank, each.length);
  }
  if (rank > 0) return { kind: 'fits', rank };
  const has =
    serverName === '' ? 'the connection has no server name (SNI)' : `the server name (SNI) is ${serverName}`;
  return { kind: 'fails', reason: `${has}, and must be ${wanted.join(' or ')}` };
}

function fitSourceType(wanted: string, source: string | undefined, destination: string | undefined): Fit {
  if (wanted === 'ANY') return anyValue;
  if (source === undefined) return { kind: 'unknown', what: 'the source address (source_type)' };
  const isLocal = isLocalSource(source, destination);
  return isLocal === (wanted === 'SAME_IP_OR_LOOPBACK')
    ? { kind: 'fits', rank: 1 }
    : {
        kind: 'fails',
        reason: `the source address ${source} is ${isLocal ? 'local' : 'not local'}, and the source type must be ${wanted}`,
      };
}

export function isLocalSource(source: string, destination: string | undefined): boolean {
  return source === destination || source.startsWith('127.') || source === '::1';
}
