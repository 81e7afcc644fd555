import { InvalidRequest } from './discovery-messages';

/** envoy.type.matcher.v3.StringMatcher as protobufjs decodes it; match_pattern is a oneof. */
interface StringMatcherMessage {
  exact?: string;
  prefix?: string;
  suffix?: string;
  contains?: string;
  safeRegex?: unknown;
  custom?: unknown;
  ignoreCase?: boolean;
}

/** envoy.type.matcher.v3.NodeMatcher. */
export interface NodeMatcherMessage {
  nodeId?: StringMatcherMessage;
  nodeMetadatas?: unknown[];
}

/** Matchers are combined with OR; an empty list matches every node. Throws InvalidRequest for other kinds. */
export function matchesNode(matchers: readonly NodeMatcherMessage[], nodeId: string): boolean {
  for (const matcher of matchers) assertSupported(matcher);
  return (
    matchers.length === 0 ||
    matchers.some((matcher) => matcher.nodeId === undefined || matchesText(matcher.nodeId, nodeId))
  );
}

function assertSupported({ nodeId, nodeMetadatas = [] }: NodeMatcherMessage): void {
  if (nodeMetadatas.length > 0) {
    throw new InvalidRequest('node_matchers: expected node_id only, got node_metadatas');
  }
  if (nodeId?.safeRegex !== undefined || nodeId?.custom !== undefined) {
    throw new InvalidRequest(
      'node_matchers.node_id: expected exact, prefix, suffix or contains, got another kind',
    );
  }
}

function matchesText(matcher: StringMatcherMessage, value: string): boolean {
  const { exact, prefix, suffix, contains, ignoreCase } = matcher;
  const fold = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const text = fold(value);
  if (exact !== undefined) return text === fold(exact);
  if (prefix !== undefined) return text.startsWith(fold(prefix));
  if (suffix !== undefined) return text.endsWith(fold(suffix));
  if (contains !== undefined) return text.includes(fold(contains));
  throw new InvalidRequest('node_matchers.node_id: expected a match_pattern, got none');
}
