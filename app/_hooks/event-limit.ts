/** How many events the pages keep; the newest. */
export const eventLimit = 200;
