import type { ProbeChoices } from '@/lib/api/schema';
import type { ProbeTransport } from '@/lib/xds/probe-choices';
import { SettingError } from './setting-error';

const others: Partial<Record<ProbeTransport, ProbeTransport>> = {
  ads: 'delta-ads',
  'delta-ads': 'ads',
  sotw: 'delta',
  delta: 'sotw',
};

/**
 * The settings of each source that is asked for: with crossCheck the second is the same in the other variant of the
 * protocol. None of them has it any longer: two such sources know each other by what they ask. Throws SettingError.
 */
export function splitCrossCheck<T extends ProbeChoices>(
  { crossCheck = false, ...settings }: T,
  where: string,
): readonly [Omit<T, 'crossCheck'>, ...Omit<T, 'crossCheck'>[]] {
  if (!crossCheck) return [settings];
  const { transport = 'ads' } = settings;
  const other = others[transport];
  if (other === undefined) {
    const expected = Object.keys(others).join(', ');
    throw new SettingError(
      `${where}crossCheck`,
      `expected a transport that has two variants (${expected}), got "${transport}"`,
    );
  }
  return [settings, { ...settings, transport: other }];
}

/** What the second source is called. */
export function crossCheckLabel(label: string, settings: ProbeChoices): string {
  const isDelta = settings.transport === 'delta-ads' || settings.transport === 'delta';
  return `${label}, ${isDelta ? 'delta' : 'state of the world'}`;
}
