import { stringify } from 'yaml';
import { type DecodedBody, decodeBody } from './decode-body';

export type RenderFormat = 'json' | 'yaml';

export interface RenderedBody extends Omit<DecodedBody, 'json'> {
  readonly text: string;
}

/** Formats a body for reading: indented, without folded lines or anchors. */
export function renderBody(typeUrl: string, bytes: Uint8Array, format: RenderFormat): RenderedBody {
  const { json, ...parts } = decodeBody(typeUrl, bytes);
  const text =
    format === 'yaml'
      ? stringify(json, { lineWidth: 0, aliasDuplicateObjects: false })
      : `${JSON.stringify(json, null, 2)}\n`;
  return { text, ...parts };
}
