'use client';

import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { CommandAnswer, CommandInput } from '@/lib/questions/command';
import type { commands } from '@/lib/views/commands';
import type { FileImport } from '@/lib/views/recording/import-schema';
import type { DescriptorSet } from '@/lib/views/sources/descriptor-set-schema';
import { requestJson } from '../_hooks/api-client';
import { fleetKeys } from './common-questions';

type Commands = typeof commands;
type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Part<Key extends keyof Commands, Name extends string> =
  CommandInput<Key, Commands[Key]> extends { readonly [Each in Name]: infer Value } ? Value : unknown;

/** The parameters of the path, with the fields of the body or of the query. */
type FlatInput<Key extends keyof Commands> = Part<Key, 'params'> & Part<Key, 'query'> & Part<Key, 'body'>;

const uploadMs = 30 * 60_000;

/** The data that is reloaded after a command besides that of the first part of its path, by that part. */
const alsoChanged: Readonly<Record<string, readonly QueryKey[]>> = {
  sources: fleetKeys,
  clients: [['client'], ['history']],
  imports: [['sources'], ...fleetKeys],
  // The bodies of resources, which are decoded again.
  'descriptor-sets': [['resources'], ['client']],
};

/** Sends a command of lib/views/commands.ts. */
export function useCommand<Key extends keyof Commands>(command: Key) {
  const [method, template = ''] = command.split(' ');
  return useReloading(template, (input: FlatInput<Key>) => {
    const rest = { ...(input as Record<string, unknown>) };
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = encodeURIComponent(String(rest[name]));
      delete rest[name];
      return value;
    });
    const query = method === 'DELETE' && new URLSearchParams(rest as Record<string, string>).toString();
    return requestJson<CommandAnswer<Commands[Key]>>(query ? `${path}?${query}` : path, {
      method: method as Method,
      ...(method !== 'DELETE' && { body: rest }),
    });
  });
}

interface UploadAnswers {
  readonly imports: FileImport;
  readonly 'descriptor-sets': DescriptorSet;
}

interface Upload {
  readonly name: string;
  /** Several files are parts of one client. */
  readonly files: readonly File[];
  readonly isAgain?: boolean;
}

/** Files of a dropped folder are named by their path. */
function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function useUpload<Path extends keyof UploadAnswers>(path: Path) {
  return useReloading(path, ({ name, files, isAgain = false }: Upload) => {
    const modifiedAt = Math.max(...files.map(({ lastModified }) => lastModified));
    const modified = path === 'imports' && { modified: String(modifiedAt) };
    const query = new URLSearchParams({ name, ...modified, ...(isAgain && { again: 'true' }) });
    const [file] = files;
    const isOne = files.length === 1 && file !== undefined;
    if (!isOne) for (const each of files) query.append('part', `${baseOf(each.name)}:${each.size}`);
    return requestJson<UploadAnswers[Path]>(`${path}?${query}`, {
      ...{ method: 'POST', body: isOne ? file : new Blob([...files]), timeoutMs: uploadMs },
    });
  });
}

function useReloading<Input, Output>(path: string, send: (input: Input) => Promise<Output>) {
  const queryClient = useQueryClient();
  const [first = ''] = path.split('/');
  const keys: readonly QueryKey[] = [[first], ...(alsoChanged[first] ?? [])];
  return useMutation({
    mutationFn: send,
    onSettled: () => Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  });
}
