'use client';

import { createContext, type RefObject, useContext } from 'react';
import type { ClientSubject } from '@/app/_ask/client-subject';
import type { ClientDetail } from '@/lib/views/client/schema';
import type { View } from '@/lib/views/permalinks/schema';
import type { EpochMs } from '@/lib/xds/units';

export interface ClientViewData {
  readonly client: ClientDetail;
  readonly subject: ClientSubject;
  /** The moment since which changes are highlighted; null: the view is not compared. */
  readonly comparedSince: string | null;
  /** The path of the page that compares this view with the current client, or with another one. */
  readonly comparePath: string;
  readonly basePath: string;
  /** The tab that the base path itself shows: the one that a permalink was made from. */
  readonly storedTab: string;
  /** The moment of a permalink; null for a live view. */
  readonly snapshotAt: EpochMs | null;
  /** The time at which a permalink was stored: no later part of the log is shown. null for a live view. */
  readonly storedAt: EpochMs | null;
  /** Query parameters that a permalink stored: the defaults of its page. Empty for a live view. */
  readonly storedQuery: Readonly<Record<string, string>>;
  /**
   * Pan and zoom of the graph. It is a ref, because it changes with every frame and is read only by Share and when the
   * graph mounts.
   */
  readonly transform: RefObject<View['transform']>;
}

export const ClientViewContext = createContext<ClientViewData | null>(null);

export function useClientViewData(): ClientViewData {
  return assertView(useContext(ClientViewContext));
}

export function assertView(data: ClientViewData | null): ClientViewData {
  if (data === null) throw new Error('expected a ClientViewContext around the pages of one client, got none');
  return data;
}

/**
 * Returns whether the view has the data of a tab besides the resources: a permalink stores them only for the tab that
 * it was made from.
 */
export function useHasHistoryOf(tab: string): boolean {
  const { snapshotAt, storedTab } = useClientViewData();
  return snapshotAt === null || storedTab === tab;
}
