import { parseRpcBehavior, rpcBehaviorKey } from '../../interop/rpc-behavior';
import { type RpcType, rpcTypes } from '../../observation/rpc-types';

interface MetadataEntry {
  readonly type: RpcType;
  readonly key: string;
  readonly value: string;
}

type ParsedLines =
  | {
      readonly ok: true;
      readonly metadata: readonly MetadataEntry[];
      /** What has no effect, and what a server of the interop tests does not understand. It is sent nevertheless. */
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly reason: string };

const pattern = /^(\S+)\s+([^\s:]+):\s*(.*)$/;

/**
 * Parses lines such as "UNARY_CALL rpc-behavior: error-code-14". Empty lines are ignored. `chosen`: the types of RPCs that the
 * client is to send.
 */
export function parseMetadataLines(text: string, chosen: readonly RpcType[]): ParsedLines {
  const metadata: MetadataEntry[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const [, type, key = '', value = ''] = pattern.exec(line.trim()) ?? [];
    const known = rpcTypes.find((each) => each === type);
    if (known === undefined) {
      const expected = `${rpcTypes.join(' or ')}, a key, a colon and a value`;
      return { ok: false, reason: `Line ${index + 1}: expected ${expected}, got ${JSON.stringify(line)}.` };
    }
    metadata.push({ type: known, key: key.toLowerCase(), value });
  }
  const warnings = rpcTypes.flatMap((type) => {
    const own = metadata.filter((entry) => entry.type === type);
    const behavior = own.filter(({ key }) => key === rpcBehaviorKey);
    const parsed = parseRpcBehavior(behavior.map(({ value }) => value));
    const isUnused = own.length > 0 && !chosen.includes(type);
    return [
      ...(isUnused ? [`${type} is not chosen: its metadata has no effect.`] : []),
      ...(parsed.ok ? [] : [`${type}: ${parsed.reason}.`]),
    ];
  });
  return { ok: true, metadata, warnings };
}

/** Leaves out values that were redacted: sent again, they would replace the secret. */
export function formatMetadataLines(metadata: readonly MetadataEntry[]): string {
  const known = metadata.filter(({ value }) => !value.includes('[redacted'));
  return known.map(({ type, key, value }) => `${type} ${key}: ${value}`).join('\n');
}
