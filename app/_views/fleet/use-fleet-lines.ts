'use client';

import { useQueries } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type QuestionInput, questionOptions } from '@/app/_ask/question';
import type { FleetLineRow, FleetPage } from '@/lib/views/fleet/schema';
import { fleetLinesPerPage, fleetLinesQuestion } from './search-params';

export interface FleetGap {
  readonly kind: 'gap';
  readonly index: number;
}

interface FleetLines {
  /** All lines, with gaps for lines that are not loaded; undefined before the first answer. */
  readonly lines: readonly (FleetLineRow | FleetGap)[] | undefined;
  /** The first loaded page, which has the counts. */
  readonly page: FleetPage | undefined;
  readonly error: Error | null;
  readonly refetch: () => void;
  /** Loads the pages around the visible lines. */
  readonly onVisibleRange: (first: number, last: number) => void;
}

/** The list of clients. Only the visible pages are loaded, and reloaded when a client changes. */
export function useFleetLines(question: QuestionInput<'fleet'>): FleetLines {
  const [range, setRange] = useState({ first: 0, last: 0 });
  const onVisibleRange = useCallback((first: number, last: number) => {
    const next = { first: pageOf(first - 20), last: pageOf(last + 20) };
    setRange((now) => (now.first === next.first && now.last === next.last ? now : next));
  }, []);
  const pages = Array.from({ length: range.last - range.first + 1 }, (_, index) => range.first + index);
  const { found, error, refetch } = useQueries({
    queries: pages.map((page) => ({
      ...questionOptions('fleet', fleetLinesQuestion(question, page)),
      placeholderData: undefined,
    })),
    combine: (results) => ({
      found: results.flatMap(({ data }) => (data === undefined ? [] : [data])),
      error: results.find((each) => each.error !== null)?.error ?? null,
      refetch: () => {
        for (const each of results) void each.refetch();
      },
    }),
  });
  // The previous lines stay until the first answer to another question.
  const before = useRef<readonly FleetPage[]>([]);
  const shown = found.length > 0 ? found : before.current;
  useEffect(() => {
    if (found.length > 0) before.current = found;
  }, [found]);
  const lines = useMemo(() => (shown[0] === undefined ? undefined : fill(shown)), [shown]);
  return { lines, page: shown[0], error, refetch, onVisibleRange };
}

function pageOf(line: number): number {
  return Math.max(0, Math.floor(line / fleetLinesPerPage));
}

const gaps: FleetGap[] = [];

function fill(pages: readonly FleetPage[]): (FleetLineRow | FleetGap)[] {
  const count = pages.at(-1)?.lines ?? 0;
  for (let index = gaps.length; index < count; index++) gaps.push({ kind: 'gap', index });
  const lines: (FleetLineRow | FleetGap)[] = gaps.slice(0, count);
  for (const { offset, items } of pages) {
    for (const [index, item] of items.entries()) if (offset + index < count) lines[offset + index] = item;
  }
  return lines;
}
