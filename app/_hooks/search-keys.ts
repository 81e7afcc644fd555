import type { ResourceKey } from '@/lib/observation/resource-state';

export interface HoldersParams extends ResourceKey {
  readonly q: string;
  readonly offset: number;
}

export const holdersPerPage = 100;

export function holdersKey({ typeUrl, name, q, offset }: HoldersParams) {
  return ['holders', typeUrl, name, q, offset];
}
