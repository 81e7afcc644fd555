import { parseResourceName } from '../../xds/resource-name';
import type { NameParser } from './parsed-name';

/** gRFC A47: the id first, then the authority, the context parameters and the directives. The type is shown elsewhere. */
export const parseXdstpName: NameParser = (text) => {
  const parsed = parseResourceName(text);
  if (!parsed.ok || parsed.name.kind === 'old-style') return undefined;
  const { authority, id, contextParams, directives } = parsed.name;
  return {
    convention: 'xdstp',
    title: id,
    qualifiers: [
      authority === '' ? 'no authority' : authority,
      ...[...contextParams].map(([key, value]) => `${key}=${value}`),
      ...(directives === '' ? [] : [`#${directives}`]),
    ],
  };
};
