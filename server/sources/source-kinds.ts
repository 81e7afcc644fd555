import type { SourceKind } from '@/lib/observation/source-kinds';
import { channelzKind } from '../collect/channelz/source-kind';
import { csdsKind } from '../collect/csds/source-kind';
import { envoyAdminKind } from '../collect/envoy-admin/source-kind';
import { interopKind } from '../collect/interop/source-kind';
import { istiodKind } from '../collect/istiod/source-kind';
import { lrsKind } from '../collect/lrs/source-kind';
import type { OptionGroup, StartOptions } from '../collect/source-kind/option';
import type { SourceKindValue } from '../collect/source-kind/source-kind';
import { tapKind } from '../collect/tap/source-kind';
import { probeKind } from '../collect/xds/source-kind';
import { fileKind } from '../files/source-kind';
import { listKindOf } from './target-list/list-kind';

/**
 * Every kind of source, in the order in which they start. The embedded lab is not in the list: it is declared in the log
 * as the source of its events, and is not started as a source.
 */
const kinds = [
  csdsKind,
  listKindOf(csdsKind),
  envoyAdminKind,
  listKindOf(envoyAdminKind),
  istiodKind,
  listKindOf(istiodKind),
  channelzKind,
  listKindOf(channelzKind),
  interopKind,
  listKindOf(interopKind),
  probeKind,
  tapKind,
  lrsKind,
  fileKind,
] as const;

type Kind = (typeof kinds)[number];
type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** The options of all kinds. */
export const kindOptions: Intersection<Kind['options']> = Object.assign(
  {},
  ...kinds.map(({ options }) => options),
);

/** The setup of a source of any kind. */
export type SourceSetup = Parameters<Kind['show']>[0];
/** The parts that start() of any kind needs. */
export type KindParts = Intersection<Parameters<Kind['start']>[1]>;
export type AnySourceKind = SourceKindValue<StartOptions, SourceSetup, KindParts>;

/** Callers pass a kind only its own setups, as `findKind(setup.kind)` does. */
export const sourceKinds = kinds as unknown as readonly AnySourceKind[];
/** The options of all kinds, by heading, in the order of the kinds. */
export const kindOptionGroups: readonly OptionGroup[] = groupOptions();

function groupOptions(): OptionGroup[] {
  const groups = new Map<string, StartOptions>();
  for (const { options, optionsTitle = 'Polled sources' } of sourceKinds) {
    if (Object.keys(options).length > 0)
      groups.set(optionsTitle, { ...groups.get(optionsTitle), ...options });
  }
  return [...groups].map(([title, options]) => ({ title, options }));
}

const byName: ReadonlyMap<string, AnySourceKind> = new Map(sourceKinds.map((kind) => [kind.kind, kind]));

export function findKind(kind: SourceKind): AnySourceKind {
  const found = byName.get(kind);
  if (found === undefined) throw new Error(`source kind ${kind} is not in the list of kinds`);
  return found;
}

export function isPolled(kind: SourceKind | undefined): boolean {
  return kind !== undefined && byName.get(kind)?.interval !== undefined;
}
