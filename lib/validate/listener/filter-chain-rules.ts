import { before, type Profile, profileSet, profilesOf, since, type Who } from '../../xds/profile';
import { LDS } from '../../xds/resource-type';
import { any, javaRangesOf, rangesOf, valuesOf } from '../address-ranges';
import { cannotMatch, chainsDroppedByGo, skippersOfChains } from '../connection-managers';
import type { Field } from '../field';
import { parseIpAddress, withoutBrackets } from '../ip-address';
import { everyNack, nackBy, noNacks, type Reactions, react } from '../reactions';
import { type Report, type Rule, reportExceptFor, rulesOf } from '../rule';

const rule = rulesOf(LDS.typeUrl);

function add(skippers: Set<Profile>, ...who: readonly Who[]): void {
  for (const profile of profilesOf(...who)) skippers.add(profile);
}

const convertingMapped = profilesOf('go').filter((profile) => profile !== 'go-1.80');

function checkRange(range: Field, report: Report): void {
  const address = range.at('addressPrefix');
  const parsed = parseIpAddress(address.text);
  const length = range.at('prefixLen');
  const isBracketed = parseIpAddress(withoutBrackets(address.text)) !== undefined;
  if (parsed === undefined)
    report({
      field: address,
      expected: 'an IP address',
      reactions: nackBy(
        ...(isBracketed ? [] : (['core'] as const)),
        ...(isJavaAddress(address.text) ? since('java-1.76') : (['java'] as const)),
        ...(['go', 'node', 'envoy'] as const),
      ),
    });
  else if (length.numberOr(0) > parsed.bits)
    // C-core and Envoy reduce the length to the maximum.
    report({ field: length, expected: `at most ${parsed.bits}`, reactions: nackBy('go') });
  // grpc-go, except 1.80, converts such an address to IPv4.
  if (/^::ffff:.*\./i.test(address.text) && length.numberOr(0) > 32)
    report({ field: length, expected: 'at most 32', reactions: nackBy(...convertingMapped) });
  if (parsed?.bits === 128 && address.text.includes('%'))
    report({
      field: address,
      expected: 'an address without a zone',
      reactions: noNacks,
      dependence: {
        dependsOn:
          'The network interfaces of the client, which are not known here: Java NACKs a zone that is none of them.',
        otherwise: nackBy('java'),
      },
    });
  if (parsed?.bits === 128 && /[.%]/.test(address.text))
    report({
      field: address,
      expected: 'an IPv6 address in hexadecimal numbers, without a zone',
      reactions: address.text.includes('%') ? nackBy(...before('go-1.82'), 'node') : nackBy('node'),
    });
}

/** grpc-java 1.60 parses addresses by InetAddress.getByName(), for which an empty text is the loopback address. */
function isJavaAddress(text: string): boolean {
  return (
    text === '' ||
    /^\d{1,3}(?:\.\d{1,3}){0,2}$/.test(text) ||
    parseIpAddress(withoutBrackets(text)) !== undefined
  );
}

/** Equal texts for ranges that the client finds equal. */
type Ranges = (field: Field) => string[];

/** Envoy, and grpc-go since 1.82. */
const rangesWithoutZone: Ranges = (field) => rangesOf(field).map((range) => range.replace(/%.*$/, ''));

/** Every combination of the match, except the destination, as C-core and grpc-go enumerate them. */
function sourcesOf(match: Field, ranges: Ranges): string[] {
  const type = match.at('sourceType').text || 'ANY';
  return ranges(match.at('sourcePrefixRanges')).flatMap((range) =>
    valuesOf(match.at('sourcePorts')).map((port) => `${type} ${range} ${port === '0' ? any : port}`),
  );
}

interface Destination {
  /** If true, chains that name raw_buffer make the other chains of the destination unreachable. */
  hasRawBuffer: boolean;
  sources: Set<string>;
}

/** C-core and grpc-go compare per destination, in the order of the chains. */
function checkGrpcDuplicates(
  chains: readonly Field[],
  ranges: Ranges,
  reactions: Reactions,
  report: Report,
): void {
  const destinations = new Map<string, Destination>();
  for (const chain of chains) {
    if (cannotMatch(chain)) continue;
    const match = chain.at('filterChainMatch');
    const isRaw = match.at('transportProtocol').text === 'raw_buffer';
    for (const range of ranges(match.at('prefixRanges'))) {
      const destination = destinations.get(range) ?? { hasRawBuffer: false, sources: new Set() };
      destinations.set(range, destination);
      if (destination.hasRawBuffer && !isRaw) continue;
      if (isRaw && !destination.hasRawBuffer) {
        destination.hasRawBuffer = true;
        destination.sources = new Set();
      }
      addSources(chain, match, sourcesOf(match, ranges), destination.sources, reactions, report);
    }
  }
}

function addSources(
  chain: Field,
  match: Field,
  sources: readonly string[],
  seen: Set<string>,
  reactions: Reactions,
  report: Report,
): void {
  for (const source of sources) {
    if (seen.has(source))
      report({
        field: match.exists ? match : chain,
        expected: 'a match that no chain before it has',
        reactions,
      });
    seen.add(source);
  }
}

/** Every combination of the source, as grpc-java compares them: as they are written. */
function javaSourcesOf(match: Field): string[] {
  const type = match.at('sourceType').text || 'ANY';
  return javaRangesOf(match.at('sourcePrefixRanges')).flatMap((range) =>
    valuesOf(match.at('sourcePorts')).map((port) => `${type} ${range} ${port}`),
  );
}

/**
 * grpc-js-xds, Envoy and grpc-java compare all fields of the match. grpc-js-xds ignores chains without a match.
 */
function checkWholeDuplicates(
  chains: readonly Field[],
  client: 'node' | 'envoy' | 'java',
  report: Report,
): void {
  const seen = new Set<string>();
  for (const chain of chains) {
    const match = chain.at('filterChainMatch');
    if (!match.exists && client === 'node') continue;
    const isJava = client === 'java';
    const ranges = isJava ? javaRangesOf : client === 'envoy' ? rangesWithoutZone : rangesOf;
    const sources = isJava ? javaSourcesOf(match) : sourcesOf(match, ranges);
    const rest = ['destinationPort', 'transportProtocol'].map((name) => match.at(name).show()).join(' ');
    const direct = client === 'envoy' ? ranges(match.at('directSourcePrefixRanges')).join(' ') : '';
    for (const range of ranges(match.at('prefixRanges'))) {
      for (const name of valuesOf(match.at('serverNames'))) {
        for (const protocol of valuesOf(match.at('applicationProtocols'))) {
          for (const source of sources) {
            const key = JSON.stringify([rest, direct, range, name, protocol, source]);
            if (seen.has(key))
              report({
                field: match.exists ? match : chain,
                expected: 'a match that no chain before it has',
                reactions: nackBy(client),
              });
            seen.add(key);
          }
        }
      }
    }
  }
}

/** Maximum number of combinations that are enumerated for a match. Hostile input can exceed it. */
const maxCombinations = 100_000;

function combinations(match: Field): number {
  return ['prefixRanges', 'sourcePrefixRanges', 'sourcePorts', 'serverNames', 'applicationProtocols'].reduce(
    (product, name) => product * Math.max(1, match.at(name).items().length),
    1,
  );
}

export const filterChainRules: readonly Rule[] = [
  rule(
    'S5',
    'Prefix ranges are valid address ranges',
    'gRFC A36: address ranges',
    everyNack,
    (listener, report) => {
      for (const chain of listener.at('filterChains').items()) {
        const match = chain.at('filterChainMatch');
        const skippers = new Set(skippersOfChains(listener));
        if (listener.at('filterChainMatcher').exists) add(skippers, 'envoy');
        // grpc-go drops a chain with a destination port before it reads anything else.
        if (match.at('destinationPort').numberOr(0) !== 0) add(skippers, 'go');
        for (const range of match.at('prefixRanges').items())
          checkRange(range, reportExceptFor(report, skippers));
        if (cannotMatch(chain)) add(skippers, 'go');
        for (const range of match.at('sourcePrefixRanges').items())
          checkRange(range, reportExceptFor(report, skippers));
        for (const range of match.at('directSourcePrefixRanges').items()) {
          const address = range.at('addressPrefix');
          if (parseIpAddress(address.text) === undefined)
            reportExceptFor(
              report,
              skippers,
            )({
              field: address,
              expected: 'an IP address',
              reactions: nackBy('envoy'),
            });
        }
      }
      // The match of the default chain has no effect, but two clients validate it.
      const match = listener.in('defaultFilterChain', 'filterChainMatch');
      const skippers = profileSet(...skippersOfChains(listener), 'go', 'node', 'envoy');
      for (const name of ['prefixRanges', 'sourcePrefixRanges'])
        for (const range of match.at(name).items()) checkRange(range, reportExceptFor(report, skippers));
    },
  ),
  rule(
    'S5a',
    'source_type is a known value',
    'gRFC A36: source types',
    react({ NACK: ['core-1.85', 'go', 'java', 'envoy'], crash: before('core-1.85') }),
    (listener, report) => {
      const dropped = chainsDroppedByGo(listener);
      for (const chain of listener.at('filterChains').items()) {
        const type = chain.in('filterChainMatch', 'sourceType');
        const skippers = new Set(skippersOfChains(listener));
        if (dropped.has(chain.value)) add(skippers, ...before('core-1.85'), 'go');
        if (typeof type.value === 'number')
          report({
            field: type,
            expected: 'ANY, SAME_IP_OR_LOOPBACK or EXTERNAL',
            skippedBy: skippers,
          });
      }
      const ofDefault = listener.in('defaultFilterChain', 'filterChainMatch', 'sourceType');
      if (typeof ofDefault.value === 'number')
        report({
          field: ofDefault,
          expected: 'ANY, SAME_IP_OR_LOOPBACK or EXTERNAL',
          reactions: nackBy('core-1.85', 'java'),
          skippedBy: skippersOfChains(listener),
        });
    },
  ),
  rule(
    'S6',
    'No two filter chains have the same match',
    'gRFC A36: one chain for a match',
    everyNack,
    (listener, report) => {
      const chains = listener.at('filterChains').items();
      const total = chains.reduce((sum, chain) => sum + combinations(chain.at('filterChainMatch')), 0);
      if (total > maxCombinations) {
        report({
          field: listener.at('filterChains'),
          expected: `at most ${maxCombinations} combinations of addresses, ports and names, otherwise duplicates are not detected`,
          got: String(total),
          reactions: nackBy(),
        });
        return;
      }
      if (!listener.at('apiListener').exists) {
        checkGrpcDuplicates(chains, rangesOf, nackBy('core', ...before('go-1.82')), report);
        checkGrpcDuplicates(chains, rangesWithoutZone, nackBy(...since('go-1.82')), report);
      }
      // Envoy chooses a chain by filter_chain_matcher, if there is one, and not by the matches of the chains.
      const isByMatcher = listener.at('filterChainMatcher').exists;
      for (const client of ['node', 'envoy', 'java'] as const)
        if (client !== 'envoy' || !isByMatcher) checkWholeDuplicates(chains, client, report);
    },
  ),
  rule(
    'S6a',
    'The names of filter chains are unique',
    'grpc-java: names of filter chains',
    nackBy(...since('java-1.76')),
    (listener, report) => {
      if (listener.at('apiListener').exists) return;
      const seen = new Set<string>();
      for (const [index, chain] of listener.at('filterChains').items().entries()) {
        const name = chain.at('name').text || `chain_${index}`;
        if (seen.has(name))
          report({ field: chain.at('name'), expected: 'a name that no chain before it has', got: name });
        seen.add(name);
      }
    },
  ),
];
