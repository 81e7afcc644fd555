'use client';

import { useQuery } from '@tanstack/react-query';
import type { LabResource, LabStatus } from '@/lib/api/lab';
import { answerOf, itemsOf } from './answer-of';
import { queryKeys } from './query-keys';

export function useLab() {
  return useQuery(answerOf<LabStatus>(queryKeys.lab, 'lab'));
}

export function useLabResources(isEnabled = true) {
  return useQuery({
    ...itemsOf<LabResource>(queryKeys.labResources, 'lab/resources'),
    enabled: isEnabled,
  });
}
