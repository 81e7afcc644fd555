import { sourceOf } from '../../codec/dump-parser/byte-source';
import { JsonView, skipBlanks } from '../../codec/dump-parser/json-view';
import { textOf } from '../../codec/dump-parser/view-facts';

export interface EnvoyVersion {
  readonly major: number;
  readonly minor: number;
}

/** The version in an answer to /server_info, as in "1a2b…/1.30.1/Clean/RELEASE/BoringSSL". undefined if it has none. */
export function readEnvoyVersion(bytes: Uint8Array): EnvoyVersion | undefined {
  const source = sourceOf(bytes);
  const view = new JsonView(source, skipBlanks(source, 0));
  if (view.kind !== 'object') return undefined;
  try {
    for (const [key, value] of view.members()) {
      if (key !== 'version') continue;
      const [, major, minor] = /(?:^|\/)(\d{1,4})\.(\d{1,4})\./.exec(textOf(value)) ?? [];
      return major === undefined ? undefined : { major: Number(major), minor: Number(minor) };
    }
  } catch {
    return undefined; // readDocument() reports why it cannot be read.
  }
  return undefined;
}
