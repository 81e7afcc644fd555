import type { Subscription } from '@/server/collect/xds/stream/xds-channel';

export const everything: Subscription = { wildcard: true, names: new Set() };
export const nothing: Subscription = { wildcard: false, names: new Set() };
export const only = (...names: string[]): Subscription => ({ wildcard: false, names: new Set(names) });
export const everythingAnd = (...names: string[]): Subscription => ({
  wildcard: true,
  names: new Set(names),
});
