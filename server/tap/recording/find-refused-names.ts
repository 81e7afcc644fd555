/** What a NACK's words say of the resources of the response that it refuses. */
export interface RefusedNames {
  /** Those that it names. */
  readonly refused: ReadonlySet<string>;
  /**
   * What became of the others: `accepted`; `kept`: as they were before the response; `refused` with it; `unknown`: nobody
   * can tell which of them are in use.
   */
  readonly others: 'accepted' | 'kept' | 'refused' | 'unknown';
}

export interface RefusedResponse {
  /** Of its resources, in order; null: one that nobody can read a name of. */
  readonly names: readonly (string | null)[];
  readonly errorDetail: string;
  /** envoy.config.core.v3.Node.user_agent_name, as in "gRPC C-core" or "envoy". */
  readonly userAgentName: string;
  /** The NACK names the version that it refuses as the one in use: part of it is. */
  readonly movesVersion: boolean;
}

/** Longer texts are searched up to here. */
const maxTextChars = 64 * 1024;

/**
 * Finds in a NACK's text which resources were refused. C-core and Java name them ("resource index 0: NAME: ..."), Go
 * quotes them, Node tells their place alone ("resource index 0: ..."), Envoy lists them ("Error adding/updating
 * cluster(s) NAME: ...").
 *
 * gRFC A46: gRPC clients use the good part of a response; Envoy does for listeners and clusters, when the response as a
 * whole could be read. The protocol itself has a NACK refuse the whole response.
 */
export function findRefusedNames({
  names,
  errorDetail,
  userAgentName,
  movesVersion,
}: RefusedResponse): RefusedNames {
  const text = errorDetail.slice(0, maxTextChars);
  const refused = new Set<string>();
  for (const [, index] of text.matchAll(/resource index (\d+):/g)) {
    const name = names[Number(index)];
    if (name !== null && name !== undefined) refused.add(name);
  }
  // Where places are told, a name in the words may be one that the resource refers to.
  if (refused.size === 0)
    for (const name of names) if (name !== null && isNamed(text, name)) refused.add(name);
  const unreadable = names.filter((name) => name === null).length;
  if (refused.size === 0 && names.length === 1 && names[0] !== null && names[0] !== undefined) {
    refused.add(names[0]);
  }
  if (movesVersion) return { refused, others: 'accepted' };
  const isGrpc = /^grpc/i.test(userAgentName.trim());
  // Without a name it is the response that was refused; of which gRPC clients take the good part, whichever that is.
  if (refused.size === 0 && unreadable === 0) return { refused, others: isGrpc ? 'unknown' : 'refused' };
  const isEnvoyList = /Error adding\/updating (?:listener|cluster)\(s\)/.test(text);
  return { refused, others: isGrpc || isEnvoyList ? 'accepted' : 'kept' };
}

const nameChar = /[\w.:/~@%-]/;

/** As a word of its own: "a" is not named by "ab", nor "b" by "a.b"; a full stop or colon behind it ends a sentence. */
function isNamed(text: string, name: string): boolean {
  if (name === '') return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const behind = text.slice(at + name.length, at + name.length + 2);
    const endsHere = !nameChar.test(behind[0] ?? ' ') || /^[.:,;](?:[\s"'\]]|$)/.test(behind);
    if (!nameChar.test(before) && endsHere) return true;
  }
  return false;
}
