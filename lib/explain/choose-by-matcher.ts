import type { FieldReader } from '../model/field-reader';
import { neverChosen } from '../model/filter-chain-matcher';
import { knownInput, unknownInput } from '../requests/filters/request-input';
import { evaluateMatcher, type InputValue } from '../requests/matcher-tree';
import type { ExplainRequest } from '../requests/request';
import type { ChainConfig } from '../resolve/resolve-listener';
import { type ChainChoice, type ConsideredChain, connectionOf, isLocalSource } from './filter-chain';

const path = 'filterChainMatcher';

/** The filter chain that Listener.filter_chain_matcher names; the matches of the chains are not read. */
export function chooseByMatcher(
  matcher: FieldReader,
  chains: readonly ChainConfig[],
  listenerAddress: Parameters<typeof connectionOf>[0],
  request: ExplainRequest,
): ChainChoice {
  const { result, inputs } = evaluateMatcher(matcher, readChainInput(connectionOf(listenerAddress, request)));
  const others = new Map<number, ConsideredChain>();
  const all = [...chains.keys()];
  if (result.kind === 'unknown') return { kind: 'depends', among: all, reason: result.reason, others };
  const name = result.kind === 'action' ? (result.action.object('typedConfig')?.string('value') ?? '') : '';
  const index = result.kind === 'none' ? -1 : chains.findIndex((chain) => chain.name === name);
  if (result.kind === 'action' && index < 0) {
    const reason = `the action names the filter chain ${JSON.stringify(name)}, which the listener does not have`;
    return { kind: 'depends', among: all, reason, others };
  }
  for (const at of all)
    if (at !== index)
      others.set(at, {
        reason:
          chains[at]?.match === neverChosen
            ? neverChosen
            : `filter_chain_matcher: ${chains[at]?.match}; the connection has ${inputs.join(', ')}`,
        path,
      });
  return index < 0 ? { kind: 'none', others } : { kind: 'chosen', index, others };
}

/** Reads the inputs of filter_chain_matcher, envoy.extensions.matching.common_inputs.network.v3. */
function readChainInput(connection: ReturnType<typeof connectionOf>): (input: FieldReader) => InputValue {
  const { port, destination, serverName, protocols, sourceAddress, sourcePort, transport } = connection;
  return (input) => {
    const type = input.object('typedConfig')?.messageName() ?? '';
    switch (type.split('.').at(-1)) {
      case 'DestinationPortInput':
        return knownInput('destination port', port);
      case 'DestinationIPInput':
        return knownInput('destination address', destination);
      case 'SourceIPInput':
        return knownInput('source address', sourceAddress);
      case 'DirectSourceIPInput':
        return knownInput('address of the direct peer', sourceAddress);
      case 'SourcePortInput':
        return knownInput('source port', sourcePort);
      case 'ServerNameInput':
        return knownInput('server name (SNI)', serverName);
      case 'TransportProtocolInput':
        return knownInput('transport protocol', transport);
      case 'ApplicationProtocolInput':
        return knownInput('application protocols (ALPN)', protocols?.map((each) => `'${each}'`).join(','));
      case 'SourceTypeInput':
        return knownInput(
          'source type',
          sourceAddress && (isLocalSource(sourceAddress, destination) ? 'local' : ''),
        );
      case 'UriSanInput':
      case 'DnsSanInput':
      case 'SubjectInput': {
        // Measured: Envoy 1.40.0 closes the connection, also if "on_no_match" names a filter chain.
        const reason = 'the certificate of the caller is not known before a filter chain is chosen';
        return { kind: 'unknown', reason };
      }
      default:
        return unknownInput(input);
    }
  };
}
