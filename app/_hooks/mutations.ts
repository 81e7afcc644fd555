'use client';

import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { DescriptorSet } from '@/lib/api/descriptor-sets';
import type { LabAssignmentChange, LabBackendChange, LabStatus } from '@/lib/api/lab';
import type { NewReplay, Replay, ReplayChange } from '@/lib/api/replays';
import type { NewPermalink, NewSource, Source, SourceChange } from '@/lib/api/schema';
import { requestJson } from './api-client';
import { queryKeys } from './query-keys';

const of = encodeURIComponent;
const uploadMs = 30 * 60_000;

/** A command; `touches` are reloaded after it. */
function useWrite<Input, Output>(write: (input: Input) => Promise<Output>, ...touches: readonly QueryKey[]) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: write,
    onSettled: () => Promise.all(touches.map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  });
}

export function useAddSource() {
  return useWrite(
    (source: NewSource) => requestJson<Source>('sources', { method: 'POST', body: source }),
    queryKeys.sources,
  );
}

export function usePauseSource() {
  return useWrite(
    ({ id, paused }: { readonly id: string; readonly paused: boolean }) =>
      requestJson<Source>(`sources/${of(id)}`, { method: 'PATCH', body: { paused } }),
    queryKeys.sources,
  );
}

export function useChangeSource() {
  return useWrite(
    ({ id, ...change }: { readonly id: string } & SourceChange) =>
      requestJson<Source>(`sources/${of(id)}`, { method: 'PATCH', body: change }),
    queryKeys.sources,
  );
}

export function useRemoveSource() {
  return useWrite(
    (id: string) => requestJson<void>(`sources/${of(id)}`, { method: 'DELETE' }),
    queryKeys.sources,
    queryKeys.fleet,
  );
}

/** The keys of data that depends on the known message types. */
const decoded = [queryKeys.descriptorSets, queryKeys.resourceBodies, ['client']] as const;

export function useAddDescriptorSet() {
  return useWrite(
    (file: File) =>
      requestJson<DescriptorSet>(`descriptor-sets?name=${of(file.name)}`, { method: 'POST', body: file }),
    ...decoded,
  );
}

export function useRemoveDescriptorSet() {
  return useWrite(
    (id: string) => requestJson<void>(`descriptor-sets/${of(id)}`, { method: 'DELETE' }),
    ...decoded,
  );
}

export function useImportFile() {
  return useWrite(
    (file: File) =>
      requestJson<Source>(`imports?name=${of(file.name)}`, {
        method: 'POST',
        body: file,
        timeoutMs: uploadMs,
      }),
    queryKeys.imports,
    queryKeys.sources,
    queryKeys.fleet,
  );
}

/** Cancels a running import, removes a complete one. */
export function useCancelImport() {
  return useWrite(
    (id: string) => requestJson<void>(`imports/${of(id)}`, { method: 'DELETE' }),
    queryKeys.imports,
    queryKeys.sources,
    queryKeys.fleet,
  );
}

export function useStartReplay() {
  return useWrite(
    (replay: NewReplay) => requestJson<Replay>('replays', { method: 'POST', body: replay }),
    queryKeys.replays,
  );
}

export function useChangeReplay() {
  return useWrite(
    ({ id, ...change }: { readonly id: string } & ReplayChange) =>
      requestJson<Replay>(`replays/${of(id)}`, { method: 'PATCH', body: change }),
    queryKeys.replays,
  );
}

export function useRemoveReplay() {
  return useWrite(
    (id: string) => requestJson<void>(`replays/${of(id)}`, { method: 'DELETE' }),
    queryKeys.replays,
  );
}

export function useRemovePin() {
  return useWrite((id: string) => requestJson<void>(`pins/${of(id)}`, { method: 'DELETE' }), queryKeys.pins);
}

export function useCreatePermalink() {
  return useWrite((permalink: NewPermalink) =>
    requestJson<{ id: string; url: string }>('permalinks', { method: 'POST', body: permalink }),
  );
}

export function useSetBackgroundFaults() {
  return useWrite(
    (backgroundFaults: LabStatus['backgroundFaults']) =>
      requestJson<LabStatus>('lab/background-faults', { method: 'POST', body: { backgroundFaults } }),
    queryKeys.lab,
  );
}

export function useSetReporter() {
  return useWrite(
    (running: boolean) => requestJson<LabStatus>('lab/load-reporter', { method: 'POST', body: { running } }),
    queryKeys.lab,
  );
}

export function useRenewVersion() {
  return useWrite<void, LabStatus>(
    () => requestJson('lab/renew', { method: 'POST', body: {} }),
    queryKeys.lab,
  );
}

export function useChangeBackend() {
  return useWrite(
    ({ name, ...change }: { readonly name: string } & LabBackendChange) =>
      requestJson<LabStatus>(`lab/backends/${of(name)}`, { method: 'POST', body: change }),
    queryKeys.lab,
  );
}

export function useChangeAssignment() {
  return useWrite(
    ({ name, ...change }: { readonly name: string } & LabAssignmentChange) =>
      requestJson<LabStatus>(`lab/assignments/${of(name)}`, { method: 'POST', body: change }),
    queryKeys.lab,
  );
}

export function useFault() {
  return useWrite(
    ({ name, active }: { readonly name: string; readonly active: boolean }) =>
      requestJson<LabStatus>(`lab/faults/${of(name)}`, { method: 'POST', body: { active } }),
    queryKeys.lab,
  );
}

export function useSetLabResource() {
  return useWrite(
    (resource: { readonly typeUrl: string; readonly name: string; readonly resource: unknown }) =>
      requestJson<unknown>('lab/resources', { method: 'PUT', body: resource }),
    queryKeys.labResources,
  );
}

export function useDeleteLabResource() {
  return useWrite(
    ({ typeUrl, name }: { readonly typeUrl: string; readonly name: string }) =>
      requestJson<void>(`lab/resources?typeUrl=${of(typeUrl)}&name=${of(name)}`, { method: 'DELETE' }),
    queryKeys.labResources,
  );
}
