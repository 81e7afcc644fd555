import type { NewSource } from '@/lib/views/sources/schema';
import { SettingError } from '../collect/source-kind/setting-error';
import type { ConfiguredSource } from '../collect/source-kind/source-kind';
import type { SourceSetup } from './source-kinds';

/** The channelz sources of the targets, and lists of targets, of CSDS sources: the same port serves both. */
export function channelzOf(
  sources: readonly ConfiguredSource<SourceSetup>[],
): ConfiguredSource<SourceSetup>[] {
  return sources.flatMap((source): ConfiguredSource<SourceSetup>[] => {
    const { setup } = source;
    if (setup.kind === 'csds') return [{ ...source, setup: { ...setup, kind: 'channelz' as const } }];
    if (setup.kind !== 'csds-list' || setup.member.kind !== 'csds') return [];
    const member = { ...setup.member, kind: 'channelz' as const };
    return [{ ...source, setup: { ...setup, kind: 'channelz-list' as const, member } }];
  });
}

/**
 * The requested sources: with `channelz`, a CSDS source has a channelz source of the same target beside it. Throws
 * SettingError.
 */
export function splitChannelz(input: NewSource): readonly [NewSource, ...NewSource[]] {
  const { channelz, ...settings } = input.settings ?? {};
  if (channelz === undefined) return [input];
  if (input.kind !== 'csds')
    throw new SettingError(
      'settings.channelz',
      `expected it for a CSDS source alone, got it for ${input.kind}`,
    );
  const own = { ...input, settings };
  return channelz ? [own, { ...own, kind: 'channelz' }] : [own];
}
