// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"context"
	"errors"
	"net/http"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// QuotaCheck is the name of the health check that CheckQuota makes.
const QuotaCheck = "etcd-quota"

// alarmTimeout is short: a health check must answer.
const alarmTimeout = 2 * time.Second

// CheckQuota makes a health check that fails while etcd takes no writes because its file has reached the quota. That etcd
// does not answer at all is for other checks to tell.
func CheckQuota(etcd clientv3.Maintenance) func(*http.Request) error {
	return func(r *http.Request) error {
		ctx, cancel := context.WithTimeout(r.Context(), alarmTimeout)
		defer cancel()
		answer, err := etcd.AlarmList(ctx)
		if err != nil {
			return nil
		}
		return quotaProblem(answer.Alarms)
	}
}

func quotaProblem(alarms []*pb.AlarmMember) error {
	for _, alarm := range alarms {
		if alarm.Alarm == pb.AlarmType_NOSPACE {
			return errors.New("etcd is full (alarm NOSPACE) and takes no writes but deletes: delete what is not needed, wait 5 minutes for " +
				"compaction, then run roadstead-apiserver defrag, which takes back the alarm")
		}
	}
	return nil
}
