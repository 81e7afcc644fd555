import type { Vantage } from './vantage';

/** A list finds targets in a file or behind a DNS name; each is a source of the kind before "-list", with its `listId`. */
export const sourceKinds = [
  'csds',
  'csds-list',
  'envoy-admin',
  'envoy-admin-list',
  'istiod',
  'istiod-list',
  'channelz',
  'channelz-list',
  'interop',
  'interop-list',
  'ads',
  'lrs',
  'lab',
  'tap',
  'file',
] as const;
export type SourceKind = (typeof sourceKinds)[number];
/** Kinds whose sources people add in the browser or by API. */
export const requestedKinds = [
  'csds',
  'envoy-admin',
  'istiod',
  'channelz',
  'interop',
  'ads',
] as const satisfies readonly SourceKind[];
export type RequestedKind = (typeof requestedKinds)[number];
export type PolledKind = {
  [Kind in SourceKind]: `${Kind}-list` extends SourceKind ? Kind : never;
}[SourceKind];

const vantageOfKind: Readonly<Record<SourceKind, Vantage>> = {
  csds: 'csds',
  'csds-list': 'csds',
  'envoy-admin': 'envoy-admin',
  'envoy-admin-list': 'envoy-admin',
  istiod: 'istiod',
  'istiod-list': 'istiod',
  channelz: 'channelz',
  'channelz-list': 'channelz',
  interop: 'interop',
  'interop-list': 'interop',
  ads: 'probe',
  lrs: 'lrs',
  lab: 'lab',
  tap: 'tap',
  file: 'dump',
};

/** The vantage of the observations that a source of the kind makes in its own process. */
export function findVantageOfKind(kind: SourceKind): Vantage {
  return vantageOfKind[kind];
}

/** The kind of an undeclared source, concluded from the vantage of its observations. */
export function guessKind(vantage: Vantage): SourceKind {
  return sourceKinds.find((kind) => !kind.endsWith('-list') && vantageOfKind[kind] === vantage) ?? 'file';
}
