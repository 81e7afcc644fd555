'use client';

import { clientNames, clients, nameOf, type Profile, profiles, profilesOf } from '@/lib/xds/profile';

interface ProfileChoiceProps {
  readonly profile: Profile;
  readonly onChange: (profile: Profile) => void;
}

/** Chooses the client and the range of its versions whose rules apply. */
export function ProfileChoice({ profile, onChange }: ProfileChoiceProps) {
  return (
    <label className="flex items-center gap-1.5">
      <span className="note">Client profile</span>
      <select
        value={profile}
        onChange={({ target }) => {
          const chosen = profiles.find((each) => each === target.value);
          if (chosen !== undefined) onChange(chosen);
        }}
        className="h-7 rounded-md border border-line-strong bg-raised px-2 text-small"
      >
        {clients.map((client) => (
          <optgroup key={client} label={clientNames[client]}>
            {profilesOf(client).map((each) => (
              <option key={each} value={each}>
                {nameOf(each)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}
