/** Per priority, ascending: the keys of its localities, in the order of the resource. */
export type PriorityLocalities = readonly (readonly string[])[];

/** State kept between two updates of one cluster. */
export interface ChildNumbers {
  /** One number for each priority. */
  readonly numbers: readonly number[];
  readonly localities: PriorityLocalities;
  /** The lowest number that has never been used. */
  readonly next: number;
}

/** How a client numbers the children of a priority policy, so that localities that move keep their connections. */
export type NumberChildren = (before: ChildNumbers | null, localities: PriorityLocalities) => ChildNumbers;
