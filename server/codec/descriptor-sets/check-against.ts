import { setUserTypesHere } from '../root';
import type { CheckedDescriptorSet, UserType } from '../user-type';
import { userTypesOfThread } from '../user-types';
import { checkDescriptorSet } from './check-descriptor-set';

/** In a thread of its own types: those of the other sets are there while the set is read, and its own ones again after. */
export function checkAgainst(bytes: Uint8Array, others: readonly UserType[]): CheckedDescriptorSet {
  setUserTypesHere(others);
  try {
    return checkDescriptorSet(bytes, others);
  } finally {
    setUserTypesHere(userTypesOfThread());
  }
}
