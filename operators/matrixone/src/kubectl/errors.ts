/** The command line cannot be used as it is. Ends with 2. */
export class UsageError extends Error {}

/** What was asked for is not so, or not so in time. Ends with 1, and the message is all that is said. */
export class UnmetError extends Error {}
