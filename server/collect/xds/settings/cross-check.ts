import type { ProbeChoices } from '@/lib/views/sources/schema';
import type { ProbeTransport } from '@/lib/xds/probe-choices';
import { SettingError } from '../../source-kind/setting-error';

const others: Partial<Record<ProbeTransport, ProbeTransport>> = {
  ads: 'delta-ads',
  'delta-ads': 'ads',
  sotw: 'delta',
  delta: 'sotw',
};

/**
 * The settings of each requested source: with crossCheck there is a second one in the other variant of the protocol.
 * The results do not have crossCheck. Throws SettingError.
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

/** The label of the second source. */
export function crossCheckLabel(label: string, settings: ProbeChoices): string {
  const isDelta = settings.transport === 'delta-ads' || settings.transport === 'delta';
  return `${label}, ${isDelta ? 'delta' : 'state of the world'}`;
}
