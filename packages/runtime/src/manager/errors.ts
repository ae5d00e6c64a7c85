/** A manager ended because it holds its lease no longer: another may lead, so its process has to start afresh. */
export class LeadershipLost extends Error {
  constructor(manager: string) {
    super(`manager ${manager}: leadership was lost, so it has stopped; start a new process to take part again`);
    this.name = 'LeadershipLost';
  }
}
