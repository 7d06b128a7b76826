/*
 * The life of leases along a chain of three sites: sink - middle - owner, with the owner's resource manager (two nodes)
 * and the sink's job manager. Sites crash and start again from their ledgers. What is left out, what each step stands
 * for, and how to run it: tests/models/README.md.
 *
 * Time isn't modelled: whatever a clock may cause may happen at any moment, so what is proved holds at any speed.
 *
 * Numbers that choose the size of the model, and mistakes to plant in it: see tests/models/check.
 */
/* Set once, from the environment of the verifier; tests/models/check names and explains them. */
c_decl {
  \#include <stdlib.h>
  static int setting(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
  }
}
byte leases;           /* that the owner makes in all, at most 3; the number of a lease is its epoch */
byte crashes;          /* of site managers: the ledger is whole afterwards */
byte power_cuts;       /* of their machines: the last rows of the ledger may be lost */
byte expiries;         /* leases that end by time or are reclaimed at any hop, though nothing is wrong */
byte manager_crashes;  /* of the resource manager; its keeper and what runs go on */
byte planted;          /* a mistake put in to show that it is found: */
#define ACCEPTED_TWICE 1
#define EPOCH_UNCHECKED 2
#define RELEASE_NOT_FORWARDED 3
#define LEASED_BEFORE_CLEAN 4
#define MISSING_IGNORED 5
#define ADOPTED_AFTER_RELEASE 6
#define REGISTER_NOT_AWAITED 7
#define DIRTY_IGNORED 8
#define LENDER_JUDGES 9
#define CLAIM_FORGOTTEN 10
#define CLEANING_UNKNOWN 11
#define BORROWER_JUDGES 12

#define LEASES 3
#define NODES 2
#define ALL_NODES 3                  /* a set of nodes is a mask */
#define BIT(lease) (1 << ((lease) - 1))
#define MOST_QUEUED 7

mtype = { Grant, Claim, Release, LeaseEnded, Inventory, Assign, Unassign, UnassignDetached, UnassignNodes, Clean,
          CleanNodes, Register, Refused }

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

/* The link above: 0 middle to sink, 1 owner to middle, 2 owner to resource manager. */
#define SINK_LINK 0
#define OWNER_LINK 1
#define NODES_LINK 2

chan down[3] = [MOST_QUEUED] of { mtype, byte };
chan up[3] = [MOST_QUEUED] of { mtype, byte };

/* The upper or the lower end of the link was started anew, and the two haven't said Hello since. */
bool upper_restarted[3];
bool lower_restarted[3];

#define IN_SESSION(link) (!upper_restarted[link] && !lower_restarted[link])

/* Who hasn't been restarted and doesn't know yet that its peer was, speaks to the peer's former self: that is lost. Who
 * was restarted itself keeps what it has to say until the session begins. */
inline send_down(link, type, what) {
  if
  :: lower_restarted[link] && !upper_restarted[link]
  :: else -> assert(nfull(down[link])); down[link]!type,what
  fi
}

inline send_up(link, type, what) {
  if
  :: upper_restarted[link] && !lower_restarted[link]
  :: else -> assert(nfull(up[link])); up[link]!type,what
  fi
}

inline forget(queue) {
  do
  :: nempty(queue) -> queue?_,_
  :: empty(queue) -> break
  od
}

inline lose_lower_end(link) {
  forget(up[link]);
  if
  :: upper_restarted[link]
  :: else -> forget(down[link])
  fi;
  lower_restarted[link] = true
}

inline lose_upper_end(link) {
  forget(down[link]);
  if
  :: lower_restarted[link]
  :: else -> forget(up[link])
  fi;
  upper_restarted[link] = true
}

/* ---- what everybody remembers ------------------------------------------------------------------------------------ */

/* Of each lease, once made. */
byte nodes_of[LEASES + 1];
bit request_of[LEASES + 1];
byte made;

/* The owner's ledger. The incarnation grows with each start, so an epoch never comes twice: `made` is never reset. */
#define NONE 0
#define OFFERED 1
#define ACTIVE 2
#define ENDING 3      /* all nodes in `cleaning` */
byte owned[LEASES + 1];
byte dirty;           /* nodes being cleaned that no lease of the ledger explains */
bool registered;      /* memory: the resource manager has said what is on the nodes */

#define LIVE(lease) (owned[lease] == OFFERED || owned[lease] == ACTIVE)

/* Nodes that the owner's ledger explains, and the leases that it lends, as masks. */
#define TAKEN_BY(lease) ((owned[lease] != NONE) * nodes_of[lease])
#define LENT_AS(lease) (LIVE(lease) * BIT(lease))
#define TAKEN (TAKEN_BY(1) | TAKEN_BY(2) | TAKEN_BY(3))
#define LENT (LENT_AS(1) | LENT_AS(2) | LENT_AS(3))
#define FREE (ALL_NODES & ~dirty & ~(TAKEN))

/* The middle site's ledger: a set of leases. Memory: which it waits for after a restart, and who has spoken. */
byte relayed;
bool awaits_owner;
bool awaits_sink;
byte lent_to_us;      /* the owner says it lent them through us; we don't know them; the sink hasn't spoken yet */
byte claimed_of_us;   /* the sink says it has them from us; we don't know them; the owner hasn't spoken yet */

/* The sink's ledger, and its queue, which is memory. */
byte borrowed;
byte queued;          /* requests, a mask */
bool awaits_jobs;     /* after a restart, until the job manager has spoken */

/* The leases that a side had over a link when the session began: only these are judged by the other's Inventory. */
byte middle_had_of_owner;
byte sink_had_of_middle;
byte owner_had_lent;
byte middle_had_lent;

/* The job manager: its requests, and what it does under each lease. */
byte waiting = 3;
byte holds;           /* leases: Start was sent, the nodes are to be given back */
byte runs_on;         /* leases that ended softly: what has started may go on, and its end is awaited */
chan starts = [LEASES] of { byte };
chan endings = [LEASES] of { byte };

/* The resource manager: of each node the lease that it is under, the highest epoch seen, the lease of its task. */
byte under[NODES];
byte highest[NODES];
byte task[NODES];
byte decided;         /* leases whose Start came to something */
byte parked;          /* leases with a Start that waits for its Assign or for an older task's end */
byte detached;        /* leases under which nothing starts any more */
byte to_be_clean;     /* leases of an Unassign without its Clean */
byte nodes_to_be_clean;

/* Only for checking. */
byte accepted[2];     /* how often the sink handed out nodes for a request */
byte relayed_once;    /* leases that the middle site, or the sink, has had: what an old ledger may hold */
byte borrowed_once;

/* Chooses any of a set of leases. */
inline select_lease(set) {
  lease = 1;
  do
  :: set & BIT(lease) -> break
  :: lease < LEASES && (set >> lease) != 0 -> lease++
  od
}

/* ---- the job manager --------------------------------------------------------------------------------------------- */

/* on(LeaseEnded), unconfirmed: what has started runs on until its end is heard. */
inline job_manager_lease_ended(lease) {
  if
  :: holds & BIT(lease) -> holds = holds & ~BIT(lease); runs_on = runs_on | BIT(lease)
  :: else
  fi
}

/* ---- the sink ---------------------------------------------------------------------------------------------------- */

inline sink_give_back(lease) {
  borrowed = borrowed & ~BIT(lease);
  send_up(SINK_LINK, Release, lease)
}

inline hand_out(lease) {
  borrowed = borrowed | BIT(lease);
  borrowed_once = borrowed_once | BIT(lease);
  accepted[request_of[lease]]++;
  assert(accepted[request_of[lease]] == 1);  /* (3) */
  if
  :: planted == ACCEPTED_TWICE
  :: else -> queued = queued & ~(1 << request_of[lease])
  fi;
  waiting = waiting & ~(1 << request_of[lease]);
  holds = holds | BIT(lease);
  starts!lease
}

inline sink_on_grant(lease) {
  if
  :: borrowed & BIT(lease)
  :: else ->
    send_up(SINK_LINK, Claim, lease);
    if
    :: queued & (1 << request_of[lease]) -> hand_out(lease)
    :: else -> sink_give_back(lease)  /* into_pool, and nobody else waits */
    fi
  fi
}

inline sink_on_lease_ended(lease) {
  if
  :: borrowed & BIT(lease) -> job_manager_lease_ended(lease); borrowed = borrowed & ~BIT(lease)
  :: else
  fi
}

/* The job manager has Ended of the last component, and gives the nodes back. */
inline sink_on_release(lease) {
  if
  :: borrowed & BIT(lease) -> sink_give_back(lease)
  :: else
  fi
}

inline sink_end_lease(lease) {
  job_manager_lease_ended(lease);
  sink_give_back(lease)
}

/* As borrower. Of a lease that only one side has, the side that lacks it decides, and the other waits for its word: the
 * middle site may be about to adopt it. */
inline sink_reconcile(lent) {
  lease = 1;
  do
  :: lease > made -> break
  :: else ->
    if
    :: planted == BORROWER_JUDGES && ((sink_had_of_middle & ~lent) & BIT(lease)) -> sink_on_lease_ended(lease)
    :: (lent & ~(sink_had_of_middle | borrowed)) & BIT(lease) ->
      if
      :: planted == MISSING_IGNORED
      :: else -> send_up(SINK_LINK, Release, lease)
      fi
    :: else
    fi;
    lease++
  od;
  sink_had_of_middle = 0
}

/* The site and its job manager compare after the site's restart: Inventory both ways, then the open Requests again. */
inline sink_reconcile_jobs() {
  awaits_jobs = false;
  queued = waiting;
  lease = 1;
  do
  :: lease > made -> break
  :: else ->
    if
    :: (borrowed & ~holds) & BIT(lease) -> sink_give_back(lease)
    :: (holds & ~borrowed) & BIT(lease) -> job_manager_lease_ended(lease)
    :: else
    fi;
    lease++
  od
}

proctype sink() {
  byte lease, heard;
end:
  do
  :: atomic { IN_SESSION(SINK_LINK) && nempty(down[SINK_LINK]) ->
      if
      :: down[SINK_LINK]?Grant,heard -> sink_on_grant(heard)
      :: down[SINK_LINK]?LeaseEnded,heard -> sink_on_lease_ended(heard)
      :: down[SINK_LINK]?Inventory,heard -> sink_reconcile(heard)
      fi; heard = 0; lease = 0 }
  :: atomic { awaits_jobs -> sink_reconcile_jobs(); lease = 0 }
  :: atomic { nempty(endings) ->
      endings?heard;
      if
      :: holds & BIT(heard) -> holds = holds & ~BIT(heard); sink_on_release(heard)
      :: else -> runs_on = runs_on & ~BIT(heard)
      fi; heard = 0 }
  :: atomic { expiries > 0 && borrowed != 0 ->  /* expire_leases */
      select_lease(borrowed); expiries--; sink_end_lease(lease); lease = 0 }
  od
}

/* ---- the middle site --------------------------------------------------------------------------------------------- */

inline middle_give_back(lease) {
  relayed = relayed & ~BIT(lease);
  if
  :: planted == RELEASE_NOT_FORWARDED
  :: else -> send_up(OWNER_LINK, Release, lease)
  fi
}

/* Whether anybody still waits for this grant is left open: the delegation may have been withdrawn or forgotten. */
inline pass_grant(lease) {
  if
  :: relayed & BIT(lease)
  :: else ->
    if
    :: relayed = relayed | BIT(lease); relayed_once = relayed_once | BIT(lease); send_down(SINK_LINK, Grant, lease)
    :: true -> send_up(OWNER_LINK, Release, lease)
    fi
  fi
}

inline middle_tell_ended(lease) {
  claimed_of_us = claimed_of_us & ~BIT(lease);
  send_down(SINK_LINK, LeaseEnded, lease)
}

inline middle_on_lease_ended(lease) {
  lent_to_us = lent_to_us & ~BIT(lease);
  if
  :: relayed & BIT(lease) -> relayed = relayed & ~BIT(lease); middle_tell_ended(lease)
  :: else
  fi
}

inline middle_claim(lease) {
  if
  :: relayed & BIT(lease) -> send_up(OWNER_LINK, Claim, lease)
  :: else -> middle_tell_ended(lease)
  fi
}

inline middle_on_release(lease) {
  if
  :: planted == ADOPTED_AFTER_RELEASE
  :: else -> claimed_of_us = claimed_of_us & ~BIT(lease)  /* nobody speaks for it any more */
  fi;
  if
  :: relayed & BIT(lease) -> middle_give_back(lease)
  :: else
  fi
}

inline middle_end_lease(lease) {
  middle_tell_ended(lease);
  middle_give_back(lease)
}

/* Both neighbours speak for a lease whose record was lost. */
inline adopt(lease) {
  lent_to_us = lent_to_us & ~BIT(lease);
  claimed_of_us = claimed_of_us & ~BIT(lease);
  relayed = relayed | BIT(lease);
  relayed_once = relayed_once | BIT(lease);
  if
  :: planted == LENDER_JUDGES
  :: else -> send_up(OWNER_LINK, Claim, lease)  /* answered with LeaseEnded if it is over meanwhile */
  fi
}

/* The time for the owner, or for the sink, to speak is over: what only the other one spoke for is at an end. */
inline owner_has_spoken() {
  awaits_owner = false;
  lease = 1;
  do
  :: lease > made -> break
  :: else ->
    if
    :: claimed_of_us & BIT(lease) -> middle_tell_ended(lease)
    :: else
    fi;
    lease++
  od
}

inline sink_has_spoken() {
  awaits_sink = false;
  lease = 1;
  do
  :: lease > made -> break
  :: else ->
    if
    :: lent_to_us & BIT(lease) -> lent_to_us = lent_to_us & ~BIT(lease); send_up(OWNER_LINK, Release, lease)
    :: else
    fi;
    lease++
  od
}

inline middle_reconcile_as_borrower(lent) {
  lease = 1;
  do
  :: lease > made -> break
  :: else ->
    if
    :: planted == BORROWER_JUDGES && ((middle_had_of_owner & ~lent) & BIT(lease)) -> middle_on_lease_ended(lease)
    :: (lent & ~(middle_had_of_owner | relayed)) & BIT(lease) ->
      if
      :: claimed_of_us & BIT(lease) -> adopt(lease)
      :: !(claimed_of_us & BIT(lease)) && awaits_sink -> lent_to_us = lent_to_us | BIT(lease)
      :: else ->
        if
        :: planted == MISSING_IGNORED
        :: else -> send_up(OWNER_LINK, Release, lease)
        fi
      fi
    :: else
    fi;
    lease++
  od;
  middle_had_of_owner = 0;
  owner_has_spoken()
}

inline middle_reconcile_as_lender(named) {
  lease = 1;
  do
  :: lease > made -> break
  :: else ->
    if
    :: planted == LENDER_JUDGES && (middle_had_lent & relayed & ~named) & BIT(lease) -> middle_give_back(lease)
    :: planted != CLAIM_FORGOTTEN && (named & relayed) & BIT(lease) ->
      send_up(OWNER_LINK, Claim, lease)  /* its Claim may have been lost */
    :: (named & ~(middle_had_lent | relayed)) & BIT(lease) ->
      if
      :: lent_to_us & BIT(lease) -> adopt(lease)
      :: !(lent_to_us & BIT(lease)) && awaits_owner -> claimed_of_us = claimed_of_us | BIT(lease)
      :: else -> middle_tell_ended(lease)
      fi
    :: else
    fi;
    lease++
  od;
  middle_had_lent = 0;
  sink_has_spoken()
}

proctype middle() {
  byte lease, heard;
end:
  do
  :: atomic { IN_SESSION(OWNER_LINK) && nempty(down[OWNER_LINK]) ->
      if
      :: down[OWNER_LINK]?Grant,heard -> pass_grant(heard)
      :: down[OWNER_LINK]?LeaseEnded,heard -> middle_on_lease_ended(heard)
      :: down[OWNER_LINK]?Inventory,heard -> middle_reconcile_as_borrower(heard)
      fi; heard = 0; lease = 0 }
  :: atomic { IN_SESSION(SINK_LINK) && nempty(up[SINK_LINK]) ->
      if
      :: up[SINK_LINK]?Claim,heard -> middle_claim(heard)
      :: up[SINK_LINK]?Release,heard -> middle_on_release(heard)
      :: up[SINK_LINK]?Inventory,heard -> middle_reconcile_as_lender(heard)
      fi; heard = 0; lease = 0 }
  :: atomic { awaits_owner -> owner_has_spoken(); lease = 0 }  /* 10 s */
  :: atomic { awaits_sink -> sink_has_spoken(); lease = 0 }    /* 10 s */
  :: atomic { expiries > 0 && relayed != 0 ->  /* expire_leases */
      select_lease(relayed); expiries--; middle_end_lease(lease); lease = 0 }
  od
}

/* ---- the owner --------------------------------------------------------------------------------------------------- */

/* Delegations aren't modelled: one for either request may have come, even one that was answered before. */
inline lend() {
  made++;
  free = FREE;  /* owned[made] is NONE still */
  if
  :: nodes_of[made] = free
  :: free == ALL_NODES -> nodes_of[made] = 1
  :: free == ALL_NODES -> nodes_of[made] = 2
  fi;
  if
  :: request_of[made] = 0
  :: request_of[made] = 1
  fi;
  node = 0;
  do
  :: node == NODES -> break
  :: else ->
    assert(!(nodes_of[made] & (1 << node)) || (under[node] == NONE && task[node] == NONE));  /* (2) */
    node++
  od;
  owned[made] = OFFERED;
  send_down(NODES_LINK, Assign, made);
  send_down(OWNER_LINK, Grant, made)
}

/* How gently the resource manager takes the nodes back is left open; it depends on why they come back. */
inline clean(lease) {
  owned[lease] = (planted == LEASED_BEFORE_CLEAN -> NONE : ENDING);
  if
  :: true -> send_down(NODES_LINK, Unassign, lease)
  :: true -> send_down(NODES_LINK, UnassignDetached, lease)
  fi
}

inline owner_tell_ended(lease) {
  send_down(OWNER_LINK, LeaseEnded, lease)
}

inline claim(lease) {
  if
  :: owned[lease] == OFFERED -> owned[lease] = ACTIVE
  :: owned[lease] == ACTIVE
  :: else -> owner_tell_ended(lease)
  fi
}

inline owner_on_release(lease) {
  if
  :: LIVE(lease) -> clean(lease)
  :: else
  fi
}

inline owner_end_lease(lease) {
  owner_tell_ended(lease);
  clean(lease)
}

inline on_clean(lease) {
  if
  :: owned[lease] == ENDING -> owned[lease] = NONE
  :: else
  fi
}

inline owner_reconcile(named) {
  lease = 1;
  do
  :: lease > made -> break
  :: else ->
    if
    :: planted == LENDER_JUDGES && LIVE(lease) && ((owner_had_lent & ~named) & BIT(lease)) -> clean(lease)
    :: planted != CLAIM_FORGOTTEN && owned[lease] == OFFERED && (named & BIT(lease)) -> owned[lease] = ACTIVE
    :: owned[lease] == NONE && (named & BIT(lease)) -> owner_tell_ended(lease)
    :: planted != CLEANING_UNKNOWN && owned[lease] == ENDING && (named & BIT(lease)) -> owner_tell_ended(lease)
    :: else
    fi;
    lease++
  od;
  owner_had_lent = 0
}

/* Register: the leases of the resource manager in the lower bits, nodes under no lease that are in use above them. */
inline compare_with_register(leases, in_use) {
  lease = 1;
  do
  :: lease > made -> break
  :: else ->
    if
    :: LIVE(lease) && !(leases & BIT(lease)) -> send_down(NODES_LINK, Assign, lease)
    :: owned[lease] == ENDING -> send_down(NODES_LINK, Unassign, lease)
    :: owned[lease] == NONE && (leases & BIT(lease)) -> owned[lease] = ENDING; send_down(NODES_LINK, Unassign, lease)
    :: else
    fi;
    lease++
  od;
  dirty = 0;
  dirty = in_use & FREE & (planted == DIRTY_IGNORED -> 0 : ALL_NODES);  /* no lease of ours explains them */
  if
  :: dirty != 0 -> send_down(NODES_LINK, UnassignNodes, dirty)
  :: else
  fi;
  registered = true;
  assert(!(FREE & 1) || (task[0] == NONE && under[0] == NONE));  /* (2) */
  assert(!(FREE & 2) || (task[1] == NONE && under[1] == NONE))
}

proctype owner() {
  byte lease, heard, free, node;
end:
  do
  :: atomic { IN_SESSION(OWNER_LINK) && nempty(up[OWNER_LINK]) ->
      if
      :: up[OWNER_LINK]?Claim,heard -> claim(heard)
      :: up[OWNER_LINK]?Release,heard -> owner_on_release(heard)
      :: up[OWNER_LINK]?Inventory,heard -> owner_reconcile(heard)
      fi; heard = 0; lease = 0 }
  :: atomic { IN_SESSION(NODES_LINK) && nempty(up[NODES_LINK]) ->
      if
      :: up[NODES_LINK]?Clean,heard -> on_clean(heard)
      :: up[NODES_LINK]?CleanNodes,heard -> dirty = dirty & ~heard
      :: up[NODES_LINK]?Refused,heard ->
        if
        :: LIVE(heard) -> owner_end_lease(heard)
        :: else
        fi
      :: up[NODES_LINK]?Register,heard -> compare_with_register(heard & ((1 << LEASES) - 1), heard >> LEASES)
      fi; heard = 0; lease = 0 }
  :: atomic { made < leases && registered && FREE != 0 -> lend(); free = 0; node = 0 }
  :: atomic { expiries > 0 && LENT != 0 ->  /* expire_leases, or the owner reclaims the nodes */
      select_lease(LENT); expiries--; owner_end_lease(lease); lease = 0 }
  od
}

/* ---- the resource manager ---------------------------------------------------------------------------------------- */

#define HAS(lease, node) ((nodes_of[lease] >> (node)) & 1)
#define EACH_NODE(lease, fact0, fact1) ((!HAS(lease, 0) || (fact0)) && (!HAS(lease, 1) || (fact1)))
#define ALL_UNDER(lease) EACH_NODE(lease, under[0] == lease, under[1] == lease)
#define ADMIT(lease) EACH_NODE(lease, under[0] == lease || highest[0] < lease, under[1] == lease || highest[1] < lease)
#define LATEST(lease) EACH_NODE(lease, highest[0] == lease, highest[1] == lease)
#define NOTHING_LATER(lease) EACH_NODE(lease, highest[0] <= lease, highest[1] <= lease)
#define IDLE(lease) EACH_NODE(lease, task[0] == NONE, task[1] == NONE)
#define NOTHING_OLDER_RUNS(lease) \
  EACH_NODE(lease, task[0] == NONE || task[0] > lease, task[1] == NONE || task[1] > lease)
#define RUNS(lease) (task[0] == lease || task[1] == lease)

#define MAY_RUN(lease) \
  (IDLE(lease) && (planted == EPOCH_UNCHECKED || (ALL_UNDER(lease) && !(detached & BIT(lease)))))
#define MAY_ASSIGN(lease) (planted == EPOCH_UNCHECKED || (ADMIT(lease) && !(!ALL_UNDER(lease) && RUNS(lease))))

#define SET_EACH(array, lease, value) \
  array[0] = (HAS(lease, 0) -> (value) : array[0]); \
  array[1] = (HAS(lease, 1) -> (value) : array[1])

inline start(lease) {
  assert(IDLE(lease) && ALL_UNDER(lease) && LATEST(lease));  /* (1) */
  later = lease + 1;
  do
  :: later > made -> break
  :: else -> assert(!(nodes_of[later] & nodes_of[lease])); later++  /* (4) */
  od;
  later = 0;
  SET_EACH(task, lease, lease)
}

inline on_assign(lease) {
  if
  :: MAY_ASSIGN(lease) ->  /* supersede: what runs of older leases is killed, and the Starts wait for it */
    SET_EACH(under, lease, lease);
    SET_EACH(highest, lease, lease)
  :: else -> send_up(NODES_LINK, Refused, lease)
  fi
}

inline on_start(lease) {
  if
  :: RUNS(lease)  /* Started is not modelled */
  :: !RUNS(lease) && (decided & BIT(lease)) -> endings!lease
  :: else ->
    if
    :: MAY_RUN(lease) -> decided = decided | BIT(lease); start(lease)
    :: !MAY_RUN(lease) && NOTHING_LATER(lease) && !(detached & BIT(lease)) -> parked = parked | BIT(lease)
    :: else -> decided = decided | BIT(lease); endings!lease
    fi
  fi
}

inline fail_parked(lease) {
  if
  :: parked & BIT(lease) -> parked = parked & ~BIT(lease); decided = decided | BIT(lease); endings!lease
  :: else
  fi
}

inline take_from_lease(lease) {
  detached = detached & ~BIT(lease);
  if
  :: under[0] == lease -> under[0] = NONE
  :: else
  fi;
  if
  :: under[1] == lease -> under[1] = NONE
  :: else
  fi;
  if
  :: HAS(lease, 0) && highest[0] < lease -> highest[0] = lease
  :: else
  fi;
  if
  :: HAS(lease, 1) && highest[1] < lease -> highest[1] = lease
  :: else
  fi
}

inline on_unassign(lease) {
  fail_parked(lease);
  take_from_lease(lease);
  if
  :: RUNS(lease) || !NOTHING_OLDER_RUNS(lease) -> to_be_clean = to_be_clean | BIT(lease)
  :: else -> send_up(NODES_LINK, Clean, lease)
  fi
}

inline on_unassign_detached(lease) {
  if
  :: RUNS(lease) && ALL_UNDER(lease) -> fail_parked(lease); detached = detached | BIT(lease)
  :: else -> on_unassign(lease)
  fi
}

inline on_unassign_nodes(nodes) {
  if
  :: ((nodes & 1) && task[0] != NONE) || ((nodes & 2) && task[1] != NONE) -> nodes_to_be_clean = nodes
  :: else -> send_up(NODES_LINK, CleanNodes, nodes)
  fi
}

/* The task of a lease ends: by itself, killed, or fenced. */
inline task_ended(lease) {
  SET_EACH(task, lease, NONE);
  endings!lease;
  if
  :: detached & BIT(lease) -> take_from_lease(lease); send_up(NODES_LINK, Clean, lease)
  :: else
  fi;
  other = 1;
  do
  :: other > made -> break
  :: else ->
    if
    :: (to_be_clean & BIT(other)) && !RUNS(other) && NOTHING_OLDER_RUNS(other) ->
      to_be_clean = to_be_clean & ~BIT(other);
      send_up(NODES_LINK, Clean, other)
    :: else
    fi;
    other++
  od;
  other = 0;
  if
  :: nodes_to_be_clean != 0 && !((nodes_to_be_clean & 1) && task[0] != NONE) &&
     !((nodes_to_be_clean & 2) && task[1] != NONE) ->
    send_up(NODES_LINK, CleanNodes, nodes_to_be_clean);
    nodes_to_be_clean = 0
  :: else
  fi
}

proctype resource_manager() {
  byte lease, other, later;
end:
  do
  :: atomic { IN_SESSION(NODES_LINK) && nempty(down[NODES_LINK]) ->
      if
      :: down[NODES_LINK]?Assign,lease -> on_assign(lease)
      :: down[NODES_LINK]?Unassign,lease -> on_unassign(lease)
      :: down[NODES_LINK]?UnassignDetached,lease -> on_unassign_detached(lease)
      :: down[NODES_LINK]?UnassignNodes,lease -> on_unassign_nodes(lease)
      fi; lease = 0 }
  :: atomic { nempty(starts) -> starts?lease; on_start(lease); lease = 0 }
  :: atomic { parked != 0 ->  /* the Assign has come, the older task has ended, or 2 s are over */
      select_lease(parked);
      if
      :: MAY_RUN(lease) -> parked = parked & ~BIT(lease); decided = decided | BIT(lease); start(lease)
      :: true -> fail_parked(lease)
      fi; lease = 0 }
  :: atomic { task[0] != NONE -> lease = task[0]; task_ended(lease); lease = 0 }
  :: atomic { task[1] != NONE && task[1] != task[0] -> lease = task[1]; task_ended(lease); lease = 0 }
  od
}

/* ---- sessions begin, sites crash --------------------------------------------------------------------------------- */

/* Hello both ways: each side learns that the other was restarted, and says first what it believes. */
proctype links() {
  byte lease, said;
end:
  do
  :: atomic { !IN_SESSION(SINK_LINK) ->
      upper_restarted[SINK_LINK] = false;
      lower_restarted[SINK_LINK] = false;
      middle_had_lent = relayed;
      sink_had_of_middle = borrowed;
      claimed_of_us = 0;
      send_down(SINK_LINK, Inventory, relayed);
      send_up(SINK_LINK, Inventory, borrowed) }
  :: atomic { !IN_SESSION(OWNER_LINK) ->
      upper_restarted[OWNER_LINK] = false;
      lower_restarted[OWNER_LINK] = false;
      owner_had_lent = LENT;
      middle_had_of_owner = relayed;
      lent_to_us = 0;
      send_down(OWNER_LINK, Inventory, LENT);
      send_up(OWNER_LINK, Inventory, relayed) }
  :: atomic { !IN_SESSION(NODES_LINK) ->
      upper_restarted[NODES_LINK] = false;
      lower_restarted[NODES_LINK] = false;
      lease = 1;
      do
      :: lease > made -> break
      :: else ->
        if
        :: under[0] == lease || under[1] == lease -> said = said | BIT(lease)
        :: else
        fi;
        lease++
      od;
      said = said | ((task[0] != NONE && under[0] == NONE) << LEASES);
      said = said | ((task[1] != NONE && under[1] == NONE) << (LEASES + 1));
      send_up(NODES_LINK, Register, said);
      lease = 0; said = 0 }
  od
}

inline crash_sink() {
  lose_lower_end(SINK_LINK);
  queued = 0;
  sink_had_of_middle = 0;
  awaits_jobs = true
}

inline crash_middle() {
  lose_upper_end(SINK_LINK);
  lose_lower_end(OWNER_LINK);
  middle_had_of_owner = 0;
  middle_had_lent = 0;
  lent_to_us = 0;
  claimed_of_us = 0;
  awaits_owner = true;
  awaits_sink = true
}

inline crash_owner() {
  lose_upper_end(OWNER_LINK);
  lose_upper_end(NODES_LINK);
  owner_had_lent = 0;
  dirty = 0;
  registered = (planted == REGISTER_NOT_AWAITED)
}

/* Whatever isn't in the ledger: Unassigns under way. The job manager sends its Starts again in the new session. */
inline crash_resource_manager() {
  lose_lower_end(NODES_LINK);
  do
  :: nempty(starts) -> starts?_
  :: nempty(endings) -> endings?_
  :: empty(starts) && empty(endings) -> break
  od;
  parked = 0;
  to_be_clean = 0;
  nodes_to_be_clean = 0;
  lease = 1;
  do
  :: lease > made -> break
  :: else ->
    if
    :: (holds | runs_on) & BIT(lease) -> starts!lease
    :: else
    fi;
    lease++
  od
}

/* A site in between, or the sink, finds an older ledger: each lease that it ever had may be there or not. */
inline older_ledger(now, ever) {
  lease = 1;
  do
  :: lease > made -> break
  :: lease <= made && (ever & BIT(lease)) -> now = now & ~BIT(lease); lease++
  :: lease <= made && (ever & BIT(lease)) -> now = now | BIT(lease); lease++
  :: lease <= made && !(ever & BIT(lease)) -> lease++
  od
}

/* The owner's older ledger ends at some moment: later leases aren't in it, and of those that are, none had then gone
 * further than now. Of two leases on a node only the later can be there. */
inline older_owner_ledger() {
  last = made;
  do
  :: last > 0 -> last--
  :: break
  od;
  lease = made;
  gone = 0;
  do
  :: lease == 0 -> break
  :: else ->
    if
    :: lease > last -> owned[lease] = NONE
    :: lease <= last ->
      if
      :: !(gone & nodes_of[lease]) -> owned[lease] = OFFERED
      :: !(gone & nodes_of[lease]) && owned[lease] != OFFERED -> owned[lease] = ACTIVE
      :: !(gone & nodes_of[lease]) && (owned[lease] == NONE || owned[lease] == ENDING) -> owned[lease] = ENDING
      :: owned[lease] == NONE
      fi;
      gone = gone | nodes_of[lease]
    fi;
    lease--
  od
}

proctype faults() {
  byte lease, last, gone;
end:
  do
  :: atomic { crashes > 0 ->
      crashes--;
      if
      :: true -> crash_sink()
      :: true -> crash_middle()
      :: true -> crash_owner()
      fi }
  :: atomic { power_cuts > 0 ->
      power_cuts--;
      if
      :: true -> crash_sink(); older_ledger(borrowed, borrowed_once)
      :: true -> crash_middle(); older_ledger(relayed, relayed_once)
      :: true -> crash_owner(); older_owner_ledger()
      fi; lease = 0; last = 0; gone = 0 }
  :: atomic { manager_crashes > 0 -> manager_crashes--; crash_resource_manager(); lease = 0 }
  od
}

/* ---- what must hold ---------------------------------------------------------------------------------------------- */

#define LINK_SETTLED(link) (IN_SESSION(link) && empty(down[link]) && empty(up[link]))
#define SITES_SETTLED (LINK_SETTLED(SINK_LINK) && LINK_SETTLED(OWNER_LINK) && \
                       !awaits_owner && !awaits_sink && !awaits_jobs)
#define SITES_AGREE (relayed == LENT && borrowed == LENT && \
                     owned[1] != OFFERED && owned[2] != OFFERED && owned[3] != OFFERED)
#define QUIET (SITES_SETTLED && LINK_SETTLED(NODES_LINK) && empty(starts) && empty(endings) && \
               task[0] == NONE && task[1] == NONE && parked == 0)
#define HOME (registered && FREE == ALL_NODES && relayed == 0 && borrowed == 0 && holds == 0 && runs_on == 0 && \
              under[0] == NONE && under[1] == NONE)

/* Whenever nothing is under way between the sites, they agree; when nothing is under way at all, all nodes are home.
 * As no run goes on for ever (pan -l without progress states finds no cycle), each run gets there: (5). */
proctype checks() {
end:
  do
  :: atomic { SITES_SETTLED && !(SITES_AGREE) -> assert(false) }
  :: atomic { QUIET && !(HOME) -> assert(false) }
  :: atomic { timeout -> assert(HOME); break }
  od
}

init {
  atomic {
    c_code {
      now.leases = setting("LEASES", 2);
      now.crashes = setting("CRASHES", 1);
      now.power_cuts = setting("POWER_CUTS", 1);
      now.expiries = setting("EXPIRIES", 1);
      now.manager_crashes = setting("MANAGER_CRASHES", 0);
      now.planted = setting("PLANTED", 0);
    };
    registered = true;
    queued = waiting;
    run sink();
    run middle();
    run owner();
    run resource_manager();
    run links();
    run faults();
    run checks()
  }
}
