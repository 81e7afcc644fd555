'use client';

import { useClientViewData } from '@/app/_ask/client-view-data';
import { ProfileChoice } from '@/app/_components/findings/profile-choice';
import { choiceOfProfile, explainUsedProfile } from '@/lib/resolve/client-profile';
import type { Explanation } from '@/lib/views/explain/schema';
import { nameOf } from '@/lib/xds/profile';
import type { startParams, ViewQuery } from './search-params';
import { StartBox } from './start-box';

type StartChoice = Pick<ViewQuery<typeof startParams>, 'listener' | 'target' | 'profile'>;

interface StartChooserProps {
  readonly label: string;
  readonly query: StartChoice;
  readonly first: Pick<Explanation, 'profile' | 'start' | 'starts' | 'startsTotal'> | undefined;
  readonly onStart: (start: Pick<StartChoice, 'listener' | 'target'>) => void;
  readonly onProfile: (profile: Pick<StartChoice, 'profile'>) => void;
}

/** Chooses where requests begin, and the client whose rules apply. */
export function StartChooser({ label, query, first, onStart, onProfile }: StartChooserProps) {
  const { client } = useClientViewData();
  const { profile, reason } = explainUsedProfile(first?.profile, query.profile || undefined, client);
  const current = query.target || query.listener || (first?.start?.listener ?? '');
  return (
    <fieldset
      aria-label={label}
      className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2.5"
    >
      <StartBox
        // A new start discards the typed text.
        key={current}
        current={current}
        first={first}
        onChoose={onStart}
      />
      <ProfileChoice
        profile={profile}
        onChange={(value) => onProfile({ profile: choiceOfProfile(value, client) })}
      />
      <p className="min-w-0 flex-[1_1_14rem] note break-words">
        {nameOf(profile)}: {reason}
      </p>
    </fieldset>
  );
}
