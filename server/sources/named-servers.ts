import { findKind, type SourceSetup } from './source-kinds';

interface NamedSource {
  readonly target: string;
  readonly setup?: SourceSetup;
}

/** The management servers that the source connects to. Empty for sources that are not clients of one. */
export function serversNamedBy({ target, setup }: NamedSource): string[] {
  if (setup === undefined) return [];
  const { serverOf, serversOf } = findKind(setup.kind);
  return serverOf === undefined ? [] : [serverOf({ target, setup }), ...(serversOf?.(setup) ?? [])];
}
